@echo off
rem `sonde compare` on Windows, by the Python of python.org, whose packages requirements.txt names.
setlocal
set "PYTHONPATH=%~dp0;%PYTHONPATH%"
where /q py && set "python=py -3" || set "python=python"
%python% -m sonde_tools.compare %*
