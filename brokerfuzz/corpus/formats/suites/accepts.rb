# frozen_string_literal: true

# Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.
#
# Returns true if your system accepts a message. `body` is a binary string. `headers` is a list of [name, value], which replace the
# default headers of the request (nil: do not send this header). Most cases have no headers. Return false for a rejection: any
# exception counts as a crash.
def accepts(message_type, body, headers)
  raise "complete accepts() in accepts.rb: send the message to your system, and return true if it accepts the message"
end
