// SPDX-License-Identifier: MIT
// Print the fixes in a log, and the text that the receiver sent: fixes LOG
#include <exception>
#include <iomanip>
#include <iostream>
#include <sbpkit/messages.h>
#include <sbpkit/sbp.hpp>
#include <vector>

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::cerr << "usage: fixes LOG\n";
    return 2;
  }
  std::vector<sbp_msg_pos_llh> fixes;
  sbpkit::owned_frame last_fix;
  sbpkit::file_frames log(argv[1]);
  for (const sbp_frame &frame : log) {
    sbp_view view;
    sbp_msg_pos_llh fix;
    if (SBP_VIEW(&view, &frame, SBP_MSG_LOG)) {
      std::cout << sbpkit::to_text(sbp_view_string(view, SBP_MSG_LOG_TEXT)) << '\n';
    } else if (frame.type == SBP_MSG_POS_LLH && sbp_decode_msg_pos_llh(&fix, frame.payload, frame.length)) {
      fixes.push_back(fix);
      last_fix = sbpkit::owned_frame(frame);
    }
  }
  std::cout << std::fixed << std::setprecision(7);
  for (const sbp_msg_pos_llh &fix : fixes)
    std::cout << fix.tow << ' ' << fix.lat << ' ' << fix.lon << '\n';
  if (!fixes.empty())
    std::cout << sbpkit::line_writer()(*last_fix);
  std::cerr << log.scanner().crc_failures << " with a wrong CRC\n";
  return 0;
} catch (const std::exception &error) {
  std::cerr << argv[1] << ": " << error.what() << '\n';
  return 1;
}
