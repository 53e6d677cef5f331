#include <windows.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "os/file.hpp"
#include "os/process.hpp"
#include "os/windows.hpp"

// Source: CreateProcess, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, job objects, named pipes with overlapped reads. A console
// sends its events, Ctrl-C among them, to every process that it has.
namespace sonde::os {
namespace {

struct PipeEnds {
  OwnHandle read;
  OwnHandle write;
};

void make_inheritable(const OwnHandle& handle) {
  if (SetHandleInformation(handle.get(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) == 0)
    throw_last_error("SetHandleInformation");
}

PipeEnds make_pipe() {
  constexpr DWORD room = 65536;
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (CreatePipe(&read, &write, nullptr, room) == 0) throw_last_error("CreatePipe");
  return {own(read), own(write)};
}

/// A pipe whose reading end can be waited for with a limit, which only named pipes allow.
PipeEnds make_output() {
  static std::atomic<unsigned> count = 0;
  const std::wstring name =
      L"\\\\.\\pipe\\sonde-" + std::to_wstring(GetCurrentProcessId()) + L"-" + std::to_wstring(count++);
  constexpr DWORD room = 65536;
  PipeEnds ends;
  ends.read =
      own(CreateNamedPipeW(name.c_str(), PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                           PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, room, room, 0, nullptr));
  if (!ends.read) throw_last_error("CreateNamedPipe");
  ends.write = own(CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!ends.write) throw_last_error("CreateFile of a pipe");
  return ends;
}

/// Reads what one pipe brings, piece by piece, without waiting.
class PipeReader {
 public:
  PipeReader() = default;
  void open(OwnHandle pipe) {
    pipe_ = std::move(pipe);
    event_ = own(CreateEventW(nullptr, TRUE, FALSE, nullptr));
    if (!event_) throw_last_error("CreateEvent");
    begin();
  }
  ~PipeReader() {
    if (!pending_) return;
    // The system writes into this object until it says that it has ended.
    CancelIoEx(pipe_.get(), &operation_);
    DWORD count = 0;
    GetOverlappedResult(pipe_.get(), &operation_, &count, TRUE);
  }
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  [[nodiscard]] bool is_open() const { return pending_; }
  [[nodiscard]] HANDLE event() const { return event_.get(); }

  /// Appends what has come.
  void take(std::string& text) {
    DWORD count = 0;
    while (pending_ && WaitForSingleObject(event_.get(), 0) == WAIT_OBJECT_0) {
      pending_ = false;
      if (GetOverlappedResult(pipe_.get(), &operation_, &count, FALSE) == 0) return;  // closed at the other end
      text.append(bytes_.data(), count);
      begin();
      if (text.size() >= most_at_once) return;
    }
  }

 private:
  static constexpr std::size_t most_at_once = 1 << 20;

  void begin() {
    operation_ = {};
    operation_.hEvent = event_.get();
    ResetEvent(event_.get());
    const BOOL done = ReadFile(pipe_.get(), bytes_.data(), static_cast<DWORD>(bytes_.size()), nullptr, &operation_);
    pending_ = done != 0 || GetLastError() == ERROR_IO_PENDING;
  }

  OwnHandle pipe_;
  OwnHandle event_;
  OVERLAPPED operation_{};
  std::array<char, 65536> bytes_{};
  bool pending_ = false;
};

void send_all(HANDLE pipe, std::string_view text) {
  while (!text.empty()) {
    DWORD sent = 0;
    if (WriteFile(pipe, text.data(), static_cast<DWORD>(std::min<std::size_t>(text.size(), 1 << 20)), &sent, nullptr) ==
        0)
      return;  // the child is gone, as its end will show
    text.remove_prefix(sent);
  }
}

/// Limits the handles that a child inherits to its own three.
class HandleList {
 public:
  explicit HandleList(std::array<HANDLE, 3>& handles) {
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    memory_.resize(bytes);
    if (InitializeProcThreadAttributeList(list(), 1, 0, &bytes) == 0)
      throw_last_error("InitializeProcThreadAttributeList");
    if (UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(), sizeof handles, nullptr,
                                  nullptr) == 0)
      throw_last_error("UpdateProcThreadAttribute");
  }
  ~HandleList() { DeleteProcThreadAttributeList(list()); }
  HandleList(const HandleList&) = delete;
  HandleList& operator=(const HandleList&) = delete;
  LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

 private:
  std::vector<std::byte> memory_;
};

/// The processes of this job end with its last handle, which only this process has, and so with this process.
OwnHandle make_job() {
  OwnHandle job = own(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (!job || SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) == 0)
    throw_last_error("a job object");
  return job;
}

struct Started {
  OwnHandle process;
  OwnHandle job;
};

Started start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              std::array<HANDLE, 3> streams) {
  Started started{.process = nullptr, .job = make_job()};
  HandleList handles(streams);
  STARTUPINFOEXW how{};
  how.StartupInfo.cb = sizeof how;
  how.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  how.StartupInfo.hStdInput = streams[0];
  how.StartupInfo.hStdOutput = streams[1];
  how.StartupInfo.hStdError = streams[2];
  how.lpAttributeList = handles.list();
  std::wstring line = command_line(program, arguments);
  // The child is suspended until it is in the job. Its group is its own, so that Ctrl-C reaches only this process.
  constexpr DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP;
  PROCESS_INFORMATION about{};
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, flags, nullptr, nullptr, &how.StartupInfo,
                     &about) == 0)
    throw_last_error(("starting " + narrow(program.native())).c_str());
  started.process = own(about.hProcess);
  const OwnHandle thread = own(about.hThread);
  if (AssignProcessToJobObject(started.job.get(), started.process.get()) == 0) {
    const std::error_code problem = last_error();
    TerminateProcess(started.process.get(), 1);
    throw std::system_error(problem, "a job object");
  }
  ResumeThread(thread.get());
  return started;
}

/// The names are those of the system's manuals.
const char* name_of_exception(DWORD status) {
  switch (status) {
    case 0xC0000005: return "access violation";
    case 0xC0000006: return "page that cannot be read";
    case 0xC000001D: return "illegal instruction";
    case 0xC0000025: return "exception that cannot be continued";
    case 0xC000008E: return "floating-point division by zero";
    case 0xC0000094: return "integer division by zero";
    case 0xC0000096: return "privileged instruction";
    case 0xC00000FD: return "stack overflow";
    case 0xC0000135: return "missing library";
    case 0xC0000374: return "corrupt heap";
    case 0xC0000409: return "stack buffer overrun or abort";
    case 0x80000003: return "breakpoint";
    default: return "exception";
  }
}

std::string fault_of(DWORD status) {
  if (status == 0) return {};
  // The system sets the two highest bits in the status of a process that an error ended; programs set neither.
  if ((status & 0x80000000) == 0) return "ended early with status " + std::to_string(status);
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "0x%08lX", status);
  return std::string("crashed: ") + name_of_exception(status) + " (" + number.data() + ")";
}

BOOL WINAPI ignore_interrupts(DWORD event) { return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? TRUE : FALSE; }

OwnHandle running_command;

/// Starts a program that shares this one's streams and terminal; null where the system refuses.
OwnHandle start_beside(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::wstring line = command_line(program, arguments);
  STARTUPINFOW how{};
  how.cb = sizeof how;
  PROCESS_INFORMATION started{};
  if (CreateProcessW(is_script(program) ? nullptr : program.c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                     nullptr, &how, &started) == 0)
    return nullptr;
  CloseHandle(started.hThread);
  return own(started.hProcess);
}

DWORD exit_code_of(const OwnHandle& process) {
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  return code;
}

}  // namespace

bool is_program(const std::string& name) { return !program_named(path_of(name)).empty(); }

void become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  // No program can replace another here: it is started and waited for, and its status becomes this one's.
  const std::filesystem::path file = program_named(program);
  if (file.empty()) return;
  SetConsoleCtrlHandler(ignore_event, TRUE);  // Ctrl-C is for what was started
  const OwnHandle started = start_beside(file, arguments);
  if (!started) return;
  WaitForSingleObject(started.get(), INFINITE);
  std::exit(static_cast<int>(exit_code_of(started)));
}

struct Child::Handles {
  OwnHandle process;
  OwnHandle job;
  OwnHandle input;
  PipeReader output;
  PipeReader errors;
  bool is_killed = false;
};

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments)
    : handles_(std::make_unique<Handles>()) {
  PipeEnds input = make_pipe();
  PipeEnds output = make_output();
  PipeEnds errors = make_output();
  for (const OwnHandle* end : {&input.read, &output.write, &errors.write}) make_inheritable(*end);
  Started started = start(program, arguments, {input.read.get(), output.write.get(), errors.write.get()});
  handles_->process = std::move(started.process);
  handles_->job = std::move(started.job);
  handles_->output.open(std::move(output.read));
  handles_->errors.open(std::move(errors.read));
  handles_->input = std::move(input.write);
}

void Child::write(std::string_view text) { send_all(handles_->input.get(), text); }

void Child::close_input() { handles_->input.reset(); }

Child::~Child() {
  if (has_ended()) return;
  end();
  wait();
}

Child::Pieces Child::read(std::chrono::milliseconds longest_wait) {
  Pieces pieces;
  std::array<HANDLE, 2> events{};
  DWORD count = 0;
  for (const PipeReader* reader : {&handles_->output, &handles_->errors}) {
    if (reader->is_open()) events[count++] = reader->event();
  }
  if (count > 0) WaitForMultipleObjects(count, events.data(), FALSE, static_cast<DWORD>(longest_wait.count()));
  handles_->errors.take(pieces.errors);
  handles_->output.take(pieces.output);
  pieces.more = handles_->output.is_open();
  return pieces;
}

bool Child::has_ended() { return WaitForSingleObject(handles_->process.get(), 0) == WAIT_OBJECT_0; }

void Child::end() {
  // The job also holds processes that a driver may have started in the child.
  TerminateJobObject(handles_->job.get(), 1);
  handles_->is_killed = true;
}

std::string Child::wait() {
  constexpr auto longest = static_cast<DWORD>(std::chrono::milliseconds(longest_wait_for_the_ended).count());
  if (WaitForSingleObject(handles_->process.get(), handles_->is_killed ? longest : INFINITE) == WAIT_TIMEOUT)
    return stays;
  return fault_of(exit_code_of(handles_->process));
}

Command::Command(const std::vector<std::string>& words) {
  SetConsoleCtrlHandler(ignore_interrupts, TRUE);
  running_command = start_beside(program_named(path_of(words.front())), {words.begin() + 1, words.end()});
  if (!running_command) throw_last_error(("starting " + words.front()).c_str());
}

Command::~Command() {
  if (running_command) WaitForSingleObject(running_command.get(), INFINITE);
  running_command.reset();
  SetConsoleCtrlHandler(ignore_interrupts, FALSE);
}

std::optional<int> Command::status() {
  if (!status_ && WaitForSingleObject(running_command.get(), 0) == WAIT_OBJECT_0)
    status_ = static_cast<int>(exit_code_of(running_command));
  return status_;
}

}  // namespace sonde::os
