@echo off
rem `sonde report` on Windows, by the Python of python.org, whose packages requirements.txt names.
setlocal
where /q py && set "python=py -3" || set "python=python"
%python% -E "%~dp0start_python.py" sonde_tools %*
