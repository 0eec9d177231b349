/* SPDX-License-Identifier: MIT
 *
 * sbpkit for C++11 and later, header only: what sbp.h leaves to its caller, memory and loops, as C++ does them. All of
 * sbp.h and of the messages' headers can be used beside it; wherever a name of C is wanted, get() gives it.
 *
 *   for (const sbp_frame &frame : sbpkit::frames(bytes))
 *     if (frame.type == SBP_MSG_LOG)
 *       std::cout << sbpkit::line_writer()(frame);
 *
 * Text is a std::string_view where there is one (C++17), else a std::string; bytes() and payload() are a std::span
 * where there is one (C++20). Lack of memory is std::bad_alloc.
 */
#ifndef SBPKIT_SBP_HPP
#define SBPKIT_SBP_HPP

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__has_include)
#if __cplusplus >= 201703L && __has_include(<string_view>)
#include <string_view>
#endif
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif
#endif

#include "sbpkit/sbp.h"

namespace sbpkit {

/* ---- Text and bytes ---- */

#ifdef __cpp_lib_string_view
using text = std::string_view;
#else
using text = std::string;
#endif

/* The text of a span; a view of it borrows what the span borrows. */
inline text to_text(const sbp_span &span) {
  return text(span.text, span.length);
}

#ifdef __cpp_lib_span
/* All bytes of a frame. */
inline std::span<const std::uint8_t> bytes(const sbp_frame &frame) {
  return {frame.bytes, std::size_t{frame.length} + SBP_FRAME_OVERHEAD};
}

/* The bytes of its payload. */
inline std::span<const std::uint8_t> payload(const sbp_frame &frame) {
  return {frame.payload, frame.length};
}
#endif

/* ---- Memory ---- */

/* The C library's memory. */
inline const sbp_allocator *allocator() {
  struct system {
    static void *resize(void *, void *old, std::size_t, std::size_t size) {
      if (size > 0)
        return std::realloc(old, size);
      std::free(old);
      return nullptr;
    }
  };
  static const sbp_allocator memory = {system::resize, nullptr};
  return &memory;
}

/* An sbp_buffer that gives its memory back. */
class buffer {
public:
  explicit buffer(const sbp_allocator *memory = allocator()) : buffer_() { buffer_.allocator = memory; }
  ~buffer() { sbp_buffer_free(&buffer_); }
  buffer(buffer &&other) noexcept : buffer(other.buffer_.allocator) { std::swap(buffer_, other.buffer_); }
  buffer &operator=(buffer &&other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }

  void reserve(std::size_t more) {
    if (sbp_buffer_reserve(&buffer_, more) != SBP_OK)
      throw std::bad_alloc();
  }

  void append(const void *data, std::size_t size) {
    if (sbp_buffer_append(&buffer_, data, size) != SBP_OK)
      throw std::bad_alloc();
  }

  void clear() { buffer_.size = 0; }
  const char *data() const { return buffer_.data; }
  std::size_t size() const { return buffer_.size; }
  sbp_buffer *get() { return &buffer_; }

private:
  sbp_buffer buffer_;
};

/* An sbp_arena that gives its memory back. */
class arena {
public:
  explicit arena(const sbp_allocator *memory = allocator()) : arena_() { arena_.allocator = memory; }
  ~arena() { sbp_arena_drop(&arena_); }
  arena(arena &&other) noexcept : arena(other.arena_.allocator) { std::swap(arena_, other.arena_); }
  arena &operator=(arena &&other) noexcept {
    std::swap(arena_, other.arena_);
    return *this;
  }

  /* `count` objects of zeros, which live until the arena is reset or ends: they have no destructors. */
  template <class T> T *take(std::size_t count = 1) {
    static_assert(std::is_trivial<T>::value, "nobody constructs or destroys what lies in an arena");
    static_assert(alignof(T) <= 16, "an arena aligns to 16");
    void *const memory = count > SIZE_MAX / sizeof(T) ? nullptr : sbp_arena_take(&arena_, count * sizeof(T));
    if (memory == nullptr)
      throw std::bad_alloc();
    return static_cast<T *>(memory);
  }

  void reset() { sbp_arena_reset(&arena_); }
  sbp_arena *get() { return &arena_; }

private:
  sbp_arena arena_;
};

/* A frame that was taken out of its input. */
class owned_frame {
public:
  owned_frame() : owned_() {}
  /* Takes the frame, which is zeroed: see sbp_frame_take. */
  explicit owned_frame(sbp_frame &frame, const sbp_allocator *memory = allocator()) : owned_() {
    if (sbp_frame_take(&frame, memory, &owned_) != SBP_OK)
      throw std::bad_alloc();
  }
  /* Copies it. */
  explicit owned_frame(const sbp_frame &frame, const sbp_allocator *memory = allocator()) : owned_() {
    sbp_frame view = frame;
    if (sbp_frame_take(&view, memory, &owned_) != SBP_OK)
      throw std::bad_alloc();
  }
  ~owned_frame() { sbp_owned_frame_free(&owned_); }
  owned_frame(owned_frame &&other) noexcept : owned_() { std::swap(owned_, other.owned_); }
  owned_frame &operator=(owned_frame &&other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }

  const sbp_frame &operator*() const { return owned_.frame; }
  const sbp_frame *operator->() const { return &owned_.frame; }

private:
  sbp_owned_frame owned_;
};

/* ---- Frames ---- */

/* Steps through a source of frames, which is at its next one: all iterators of a source are at the same place. */
template <class Source> class frame_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = sbp_frame;
  using difference_type = std::ptrdiff_t;
  using pointer = const sbp_frame *;
  using reference = const sbp_frame &;

  frame_iterator() : source_(nullptr) {}
  explicit frame_iterator(Source *source) : source_(source->next() ? source : nullptr) {}

  reference operator*() const { return source_->frame(); }
  pointer operator->() const { return &source_->frame(); }
  frame_iterator &operator++() {
    if (!source_->next())
      source_ = nullptr;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const frame_iterator &a, const frame_iterator &b) { return a.source_ == b.source_; }
  friend bool operator!=(const frame_iterator &a, const frame_iterator &b) { return a.source_ != b.source_; }

private:
  Source *source_;
};

/* The frames in bytes that are all there, which they borrow. */
class frames {
public:
  using iterator = frame_iterator<frames>;

  frames(const void *data, std::size_t size)
      : scanner_(), data_(static_cast<const std::uint8_t *>(data)), size_(size), at_(0), frame_() {
    scanner_.cpu = sbp_cpu_best();
  }
  /* Of a std::vector, array, string, string_view or span of bytes. */
  template <class Bytes> explicit frames(const Bytes &bytes) : frames(bytes.data(), bytes.size()) {
    static_assert(sizeof(*bytes.data()) == 1, "frames are made of bytes");
  }

  /* The first frame from where the last loop ended; at first, of all. */
  iterator begin() { return iterator(this); }
  iterator end() { return iterator(); }

  bool next() {
    std::size_t used;
    if (at_ == size_)
      return false;
    const bool found = sbp_scan(&scanner_, data_ + at_, size_ - at_, true, &frame_, &used) == SBP_OK;
    at_ += used;
    return found;
  }

  const sbp_frame &frame() const { return frame_; }
  /* What was found damaged so far. */
  const sbp_scanner &scanner() const { return scanner_; }

private:
  sbp_scanner scanner_;
  const std::uint8_t *data_;
  std::size_t size_;
  std::size_t at_;
  sbp_frame frame_;
};

/* The frames of a file, a block in memory at a time; each is good until the next. What cannot be opened or read is
 * std::system_error. */
class file_frames {
public:
  using iterator = frame_iterator<file_frames>;

  explicit file_frames(const char *path) : file_frames(std::fopen(path, "rb"), true) {}
  explicit file_frames(const std::string &path) : file_frames(path.c_str()) {}
  /* Of a file that is open, which stays its owner's. */
  explicit file_frames(std::FILE *file) : file_frames(file, false) {}
  ~file_frames() {
    if (owned_)
      std::fclose(file_);
  }
  file_frames(const file_frames &) = delete;
  file_frames &operator=(const file_frames &) = delete;

  iterator begin() { return iterator(this); }
  iterator end() { return iterator(); }

  bool next() {
    for (;;) {
      std::size_t used;
      const sbp_status status = sbp_push(&framer_, block_.data() + at_, size_ - at_, last_, &frame_, &used);
      at_ += used;
      if (status == SBP_OK)
        return true;
      if (last_)
        return false;
      at_ = 0;
      size_ = std::fread(block_.data(), 1, block_.size(), file_);
      if (std::ferror(file_))
        throw std::system_error(errno, std::generic_category());
      last_ = size_ < block_.size();
    }
  }

  const sbp_frame &frame() const { return frame_; }
  const sbp_scanner &scanner() const { return framer_.scanner; }

private:
  file_frames(std::FILE *file, bool owned)
      : file_(file), owned_(owned), last_(false), framer_(), block_(file == nullptr ? 0 : 65536), at_(0), size_(0),
        frame_() {
    if (file == nullptr)
      throw std::system_error(errno, std::generic_category());
    framer_.scanner.cpu = sbp_cpu_best();
  }

  std::FILE *file_;
  bool owned_;
  bool last_;
  sbp_framer framer_;
  std::vector<std::uint8_t> block_;
  std::size_t at_;
  std::size_t size_;
  sbp_frame frame_;
};

/* ---- Dispatch ---- */

/* A function that is called for the frames of a type or a sender, or with SBP_MATCH_ALL for all, as long as this lives.
 * It must not throw. */
class handler {
public:
  handler(sbp_dispatcher &dispatcher, sbp_match match, std::uint16_t key,
          std::function<void(const sbp_frame &)> function)
      : dispatcher_(&dispatcher), function_(std::move(function)), handler_() {
    handler_.handle = call;
    handler_.context = this;
    handler_.match = match;
    handler_.key = key;
    sbp_handler_add(dispatcher_, &handler_);
  }
  ~handler() { sbp_handler_remove(dispatcher_, &handler_); }
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;

private:
  static void call(void *context, const sbp_frame *frame) noexcept {
    static_cast<handler *>(context)->function_(*frame);
  }

  sbp_dispatcher *dispatcher_;
  std::function<void(const sbp_frame &)> function_;
  sbp_handler handler_;
};

/* ---- JSON ---- */

/* Writes frames as JSON lines, `\n` included. */
class line_writer {
public:
  line_writer() : line_writer(defaults()) {}
  explicit line_writer(const sbp_line_options &options) : options_(options), room_(sbp_line_max(&options)) {}

  /* The line, which is good until the next call. */
  text operator()(const sbp_frame &frame) {
    const sbp_message *const message = sbp_message_by_id(options_.schema, frame.type);
    const char *const end = sbp_line_write(&options_, message, &frame, room_.data());
    return text(room_.data(), static_cast<std::size_t>(end - room_.data()));
  }

private:
  static sbp_line_options defaults() {
    sbp_line_options options = {};
    options.schema = &sbp_schema_builtin;
    options.cpu = sbp_cpu_best();
    return options;
  }

  sbp_line_options options_;
  std::vector<char> room_;
};

} // namespace sbpkit

#endif
