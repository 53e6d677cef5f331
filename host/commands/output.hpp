#pragma once

#include "commands/commands.hpp"
#include "records/lines.hpp"
#include "records/record_file.hpp"

namespace sonde::commands {

/// Opens standard streams that are closed, and makes every message a line "sonde: ..." on standard error. It is called
/// before anything else.
void start_messages();

/// Columns for what is printed to standard output, and for messages: the terminal's, within what can be read, or 120
/// where it is none.
int output_columns();
int message_columns();

/// Prints a paragraph to standard output, wrapped to its columns.
void print_paragraph(const std::string& text);

/// Flushes standard output. A command that is done has failed where its results could not be written, as on a full disk
/// or to a reader that has left.
ExitStatus status_after_output(ExitStatus status);

/// The first line of the record that a command begins now.
records::RunLine run_record_of(const std::vector<std::string>& command, std::uint64_t seed, const std::string& effort);

/// The file `out`, or where that is empty the default, numbered where its name is taken. Its first line is written at
/// once, so that a command that is killed leaves a record file. Throws UsageError.
records::RecordFile new_record_file(const std::string& out, const std::function<std::filesystem::path()>& default_path,
                                    const records::RunLine& record);

/// Makes sure that the file is there, and prints its path.
void finish_record_file(records::RecordFile& file);

}  // namespace sonde::commands
