package brokercontract

// accepts connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.
//
// Return true if your system accepts the message. Return false for a rejection: a panic counts as a crash.
func accepts(messageType string, body []byte) bool {
	panic("complete accepts() in accepts_test.go: send the message to your system, and return true if it accepts the message")
}
