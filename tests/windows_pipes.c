/* SPDX-License-Identifier: MIT */
/* windows_pipes SBP2JSON: sbp2json between pipes of Windows itself, which the Python tests do not have under Wine. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

static const char frame[] = "\x55\xff\xff\x2a\x00\x04\x00\x32\x00\x00\x09\xa7";
static const char line[] = "{\"crc\":42761,\"length\":4,\"msg_type\":65535,\"msg_name\":\"MSG_HEARTBEAT\","
                           "\"payload\":\"ADIAAA==\",\"preamble\":85,\"sender\":42,\"flags\":12800}\n";
enum { FRAME_SIZE = sizeof frame - 1, LINE_SIZE = sizeof line - 1, SOON = 30000 };

struct tool {
  HANDLE process;
  HANDLE input;  /* what is written here it reads */
  HANDLE output; /* what it writes is read here */
};

static int failures;

static void check(bool holds, const char *what) {
  printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  failures += !holds;
}

static bool start(struct tool *tool, const char *path) {
  SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
  STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION process;
  char arguments[] = "sbp2json";
  if (!CreatePipe(&startup.hStdInput, &tool->input, &inherited, 0) ||
      !CreatePipe(&tool->output, &startup.hStdOutput, &inherited, 0))
    return false;
  SetHandleInformation(tool->input, HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(tool->output, HANDLE_FLAG_INHERIT, 0);
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  if (!CreateProcessA(path, arguments, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process))
    return false;
  CloseHandle(startup.hStdInput);
  CloseHandle(startup.hStdOutput);
  CloseHandle(process.hThread);
  tool->process = process.hProcess;
  return true;
}

static void write_input(const struct tool *tool, const void *data, DWORD size) {
  DWORD count;
  (void)WriteFile(tool->input, data, size, &count, NULL);
}

/* Whether the next line of output comes while the input stays open. */
static bool line_comes(const struct tool *tool) {
  char got[LINE_SIZE];
  DWORD available = 0;
  DWORD count = 0;
  for (int waited = 0; waited < SOON && available < LINE_SIZE; waited += 10) {
    if (!PeekNamedPipe(tool->output, NULL, 0, NULL, &available, NULL))
      return false;
    Sleep(10);
  }
  return available == LINE_SIZE && ReadFile(tool->output, got, LINE_SIZE, &count, NULL) && count == LINE_SIZE &&
         memcmp(got, line, LINE_SIZE) == 0;
}

static DWORD exit_code(struct tool *tool) {
  DWORD code = 0;
  WaitForSingleObject(tool->process, SOON);
  GetExitCodeProcess(tool->process, &code);
  CloseHandle(tool->process);
  return code;
}

int main(int argc, char **argv) {
  struct tool tool;
  char rest[LINE_SIZE];
  DWORD count = 0;
  if (argc != 2 || !start(&tool, argv[1])) {
    printf("usage: windows_pipes SBP2JSON\n");
    return 2;
  }
  write_input(&tool, frame, FRAME_SIZE);
  check(line_comes(&tool), "a line comes out while the pipe stays open");
  write_input(&tool, frame, 0);
  write_input(&tool, frame, FRAME_SIZE);
  check(line_comes(&tool), "an empty write is not the end of the input");
  CloseHandle(tool.input);
  check(!ReadFile(tool.output, rest, sizeof rest, &count, NULL) && count == 0, "the output ends with the input");
  CloseHandle(tool.output);
  check(exit_code(&tool) == 0, "the end of a pipe is no fault");

  if (!start(&tool, argv[1]))
    return 2;
  CloseHandle(tool.output);
  write_input(&tool, frame, FRAME_SIZE);
  CloseHandle(tool.input);
  check(exit_code(&tool) == 141, "a reader that is gone is told by the exit code");
  return failures > 0;
}
