/* SPDX-License-Identifier: MIT */
/* On handles, which know no text mode. A handle has 32 significant bits on all versions of Windows, so that it fits a
 * descriptor. */
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "io.h"

#include <signal.h>
#include <string.h>
#include <windows.h>

static volatile LONG stop_signal;
static HANDLE volatile waiting = INVALID_HANDLE_VALUE; /* the handle that a read is under way on */

static HANDLE handle_of(const struct io_file *file) {
  return (HANDLE)(intptr_t)file->descriptor;
}

static bool is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

/* This runs in a thread of its own, so a read in the main thread has to be told. */
static BOOL WINAPI on_stop(DWORD event) {
  if (stop_signal != 0)
    return FALSE;
  InterlockedExchange(&stop_signal, event == CTRL_C_EVENT ? SIGINT : SIGTERM);
  CancelIoEx(waiting, NULL);
  return TRUE;
}

void io_start(void) {
  SetConsoleCtrlHandler(on_stop, TRUE);
}

const char *io_error(void) {
  static char text[256];
  DWORD size = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, GetLastError(), 0, text,
                              sizeof text, NULL);
  while (size > 0 && strchr("\r\n. ", text[size - 1]) != NULL)
    --size;
  text[size] = '\0';
  return size > 0 ? text : "unknown error";
}

static bool look(struct io_file *file) {
  BY_HANDLE_FILE_INFORMATION information;
  LARGE_INTEGER size;
  switch (GetFileType(handle_of(file))) {
  case FILE_TYPE_DISK:
    file->kind = IO_REGULAR;
    if (GetFileInformationByHandle(handle_of(file), &information)) {
      if ((information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
        file->kind = IO_DIRECTORY;
      file->size = (uint64_t)information.nFileSizeHigh << 32 | information.nFileSizeLow;
      file->device = information.dwVolumeSerialNumber;
      file->number = (uint64_t)information.nFileIndexHigh << 32 | information.nFileIndexLow;
      return true;
    }
    /* Not every file system knows which file it is; then its number stays 0. */
    if (!GetFileSizeEx(handle_of(file), &size))
      return false;
    file->size = (uint64_t)size.QuadPart;
    return true;
  case FILE_TYPE_PIPE:
    file->kind = IO_PIPE;
    return true;
  case FILE_TYPE_CHAR:
    file->kind = IO_OTHER;
    return true;
  default:
    return false;
  }
}

/* Open a path, or take the standard stream that "-" stands for. */
static bool open_file(struct io_file *file, const char *path, DWORD stream, const char *stream_name, DWORD access,
                      DWORD disposition) {
  memset(file, 0, sizeof *file);
  HANDLE handle;
  if (is_standard(path)) {
    file->name = stream_name;
    handle = GetStdHandle(stream);
    if (handle == NULL) {
      handle = INVALID_HANDLE_VALUE;
      SetLastError(ERROR_INVALID_HANDLE);
    }
  } else {
    file->name = file->path = path;
    /* With the flag a directory opens, which is for input alone. */
    handle = CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, disposition,
                         access == GENERIC_READ ? FILE_FLAG_BACKUP_SEMANTICS : FILE_ATTRIBUTE_NORMAL, NULL);
    file->created =
        handle != INVALID_HANDLE_VALUE &&
        (disposition == CREATE_NEW || (disposition == OPEN_ALWAYS && GetLastError() != ERROR_ALREADY_EXISTS));
  }
  file->descriptor = (int)(intptr_t)handle;
  return handle != INVALID_HANDLE_VALUE && look(file);
}

bool io_open_read(struct io_file *file, const char *path) {
  return open_file(file, path, STD_INPUT_HANDLE, "standard input", GENERIC_READ, OPEN_EXISTING);
}

bool io_open_write(struct io_file *file, const char *path) {
  return open_file(file, path, STD_OUTPUT_HANDLE, "standard output", GENERIC_WRITE, OPEN_ALWAYS);
}

bool io_create(struct io_file *file, const char *path) {
  return open_file(file, path, STD_OUTPUT_HANDLE, "standard output", GENERIC_WRITE, CREATE_NEW);
}

bool io_probe(struct io_file *file, const char *path) {
  static const char device[] = "\\\\.\\";
  if (!is_standard(path) && strncmp(path, device, sizeof device - 1) == 0) {
    memset(file, 0, sizeof *file);
    file->name = file->path = path;
    file->descriptor = -1;
    file->kind = IO_OTHER;
    return true;
  }
  const bool there = io_open_read(file, path);
  if (there && !is_standard(path))
    (void)io_close(file);
  return there;
}

bool io_truncate(const struct io_file *file) {
  const LARGE_INTEGER begin = {.QuadPart = 0};
  if (file->kind != IO_REGULAR || file->path == NULL)
    return true;
  return SetFilePointerEx(handle_of(file), begin, NULL, FILE_BEGIN) && SetEndOfFile(handle_of(file));
}

bool io_close(struct io_file *file) {
  const HANDLE handle = handle_of(file);
  file->descriptor = -1;
  return handle == INVALID_HANDLE_VALUE || CloseHandle(handle);
}

void io_discard(struct io_file *file) {
  (void)io_close(file);
  if (file->created)
    (void)DeleteFileA(file->path);
}

bool io_same(const struct io_file *one, const struct io_file *other) {
  return one->kind == IO_REGULAR && other->kind == IO_REGULAR && one->device == other->device &&
         one->number == other->number && one->number != 0;
}

bool io_seek(const struct io_file *file, uint64_t offset) {
  const LARGE_INTEGER place = {.QuadPart = (LONGLONG)offset};
  return file->kind == IO_REGULAR && offset <= INT64_MAX && SetFilePointerEx(handle_of(file), place, NULL, FILE_BEGIN);
}

bool io_ready(const struct io_file *file) {
  DWORD available;
  switch (file->kind) {
  case IO_PIPE:
    if (PeekNamedPipe(handle_of(file), NULL, 0, NULL, &available, NULL))
      return available > 0;
    /* The end of a pipe is read at once. A socket cannot be asked, so it has to be taken for empty. */
    return GetLastError() == ERROR_BROKEN_PIPE;
  case IO_OTHER:
    return WaitForSingleObject(handle_of(file), 0) == WAIT_OBJECT_0;
  default:
    return true;
  }
}

/* There is no waiting for a pipe but in the read. */
void io_wait(const struct io_file *file) {
  (void)file;
}

static DWORD at_most(size_t size) {
  return size < ((DWORD)1 << 30) ? (DWORD)size : (DWORD)1 << 30;
}

/* Whether a pipe of which nothing was read has its writer still: then that wrote nothing, which a read returns for too.
 */
static bool goes_on(const struct io_file *file) {
  return file->kind == IO_PIPE && PeekNamedPipe(handle_of(file), NULL, 0, NULL, NULL, NULL);
}

ptrdiff_t io_read(const struct io_file *file, void *data, size_t size) {
  DWORD count = 0;
  BOOL done;
  waiting = handle_of(file);
  do
    done = stop_signal == 0 && ReadFile(handle_of(file), data, at_most(size), &count, NULL);
  while (done && count == 0 && goes_on(file));
  const DWORD error = GetLastError();
  waiting = INVALID_HANDLE_VALUE;
  if (stop_signal != 0)
    return 0;
  if (done)
    return (ptrdiff_t)count;
  SetLastError(error);
  return error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ? 0 : -1;
}

size_t io_write(const struct io_file *file, const void *data, size_t size) {
  size_t done = 0;
  DWORD count;
  while (done < size && WriteFile(handle_of(file), (const char *)data + done, at_most(size - done), &count, NULL))
    done += count;
  return done;
}

bool io_undo(const struct io_file *file, uint64_t size) {
  const LARGE_INTEGER back = {.QuadPart = -(LONGLONG)size};
  const LARGE_INTEGER nowhere = {.QuadPart = 0};
  LARGE_INTEGER end;
  LARGE_INTEGER all;
  return file->kind == IO_REGULAR && SetFilePointerEx(handle_of(file), nowhere, &end, FILE_CURRENT) &&
         GetFileSizeEx(handle_of(file), &all) && all.QuadPart == end.QuadPart &&
         SetFilePointerEx(handle_of(file), back, NULL, FILE_CURRENT) && SetEndOfFile(handle_of(file));
}

bool io_reader_gone(void) {
  const DWORD error = GetLastError();
  return error == ERROR_NO_DATA || error == ERROR_BROKEN_PIPE || error == ERROR_PIPE_NOT_CONNECTED;
}

void io_write_error(const void *data, size_t size) {
  const struct io_file file = {.descriptor = (int)(intptr_t)GetStdHandle(STD_ERROR_HANDLE)};
  (void)io_write(&file, data, size);
}

int io_stopped(void) {
  return (int)stop_signal;
}

/* No signal ends a program here: its exit status alone tells. */
int io_die(int signal_number) {
  return 128 + (signal_number == 0 ? 13 : signal_number);
}

uint64_t io_milliseconds(void) {
  return GetTickCount64();
}

bool io_is_terminal(int stream) {
  DWORD mode;
  return GetConsoleMode(GetStdHandle(stream == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE), &mode);
}
