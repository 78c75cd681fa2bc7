package rpcserver_test

import "testing"

// directly is how the names of tests begin whose calls do without grpc-go's transport.
const directly = "TestCallsAreServedTheSameDirectly/"

func TestCallsAreServedTheSameDirectly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"answers":         TestAnRPCAnswersWithACodeAndAReason,
		"validation":      TestValidationNamesTheField,
		"log":             TestEachCallIsLoggedOnceWithItsCauseAndTrace,
		"audit":           TestAnAuditedCallIsLoggedHoweverItEnds,
		"other services":  TestHealthIsPublicAndReflectionIsNot,
		"unread":          TestSmallAnswersThatAnybodyDoesNotReadAreFew,
		"unread by one":   TestSmallAnswersThatSomebodyDoesNotReadAreFew,
		"unread at all":   TestAnswersThatNobodyReadsAreBounded,
		"read":            TestAnswersThatAreReadCountNoLonger,
		"never read":      TestAnswersToABrokenConnectionAreForgotten,
		"strangers":       TestPublicCallsThatWaitForTheirRequestAreFew,
		"strangers leave": TestPublicCallsThatAreOverDoNotCount,
		"limits":          TestATooLargeMessageIsRefused,
		"public methods":  TestAPublicMethodNeedsNoToken,
		"compression":     TestTheRequestOfNobodyIsNotDecompressed,
		"decoding":        TestTheRequestOfNobodyIsNotDecoded,
		"streams":         TestAStreamWhoseRequestIsNoMessageIsTheCallersMistake,
		"many values":     TestARequestOfTooManyValuesIsRefused,
		"calls once":      TestACallCountsOnce,
		"baggage":         TestAHandlerSeesTheTraceAndTheBaggageOfItsCaller,
		"traces":          TestATraceOfTheCallerGoesOn,
		"what one sees":   TestWhatAnOperatorSeesOfACall,
		"ends of streams": TestStoppingEndsEveryKindOfStream,
		"turns":           TestLargeRequestsWaitForTheirTurn,
		"line":            TestACallerTakesOnlyAShareOfTheLine,
		"turn to decode":  TestOnlyDecodingTakesATurn,
		"turn of stream":  TestAStreamWhoseRequestWasReadKeepsNoTurn,
		"turn back":       TestALargeRequestThatIsRefusedGivesItsTurnBack,
	} {
		t.Run(name, test)
	}
}
