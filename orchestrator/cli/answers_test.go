package cli_test

// What a real gateway answers: protojson without empty fields, apart from the lists of the answer itself.

const webFetch = `{"name":"web-fetch","version":"1.2.0","cardUri":"http://127.0.0.1:9000/.well-known/agent-card.json","etag":"\"7\"",
	"createTime":"2026-01-02T03:04:05Z","updateTime":"2026-01-02T03:04:06Z",
	"card":{"name":"web-fetch","description":"Reads pages.\nMore.","supportedInterfaces":[{"url":"127.0.0.1:9000","protocolBinding":"GRPC","protocolVersion":"1.0"}],
		"skills":[{"id":"fetch_url","name":"Fetch","description":"Fetches a page as Markdown."}]},
	"metadata":{"inputSchemas":[{"name":"url","semanticType":"reference","required":true}],"outputSchemas":[{"name":"page","semanticType":"document"}],
		"consultationRequirements":[{"id":"review","targetAgent":"reviewer","phase":"pre-completion","mandatory":true,"minLevel":"C3",
			"condition":{"attribute":"handling_sensitive_data","operator":"equals","value":true}}]},
	"status":{"agentName":"web-fetch","status":"available","lastHeartbeat":"2026-01-02T03:05:00Z","leaseExpireTime":"2026-01-02T03:05:30Z","epoch":"3"}}`

const oldAgent = `{"name":"old","version":"0.1.0","card":{"name":"old","url":"https://old.example/a2a",
	"additionalInterfaces":[{"url":"https://old.example/a2a","transport":"JSONRPC"},{"url":"https://old.example/rest","transport":"HTTP+JSON"}],"skills":[]},
	"status":{"agentName":"old","status":"unavailable","errorMessage":"no heartbeat"}}`

const missing = `{"id":"review","phase":"pre-completion","targetAgent":"reviewer","mandatory":true,"applies":true,"verdict":"missing","code":"CONSULTATION_MISSING",
	"reason":"nobody asked reviewer about this content","lookedFor":"an approval by reviewer of sha256:aa","found":"nothing"}`

const rejected = `{"id":"review","phase":"pre-completion","targetAgent":"reviewer","mandatory":true,"applies":true,"verdict":"rejected","code":"CONSULTATION_REJECTED",
	"reason":"reviewer rejected it","lookedFor":"an approval by reviewer of sha256:aa","found":"a rejection","evidence":[
		{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","outcome":"rejected","feedback":"line 3 holds a secret\nremove it","recorder":"reviewer","attempt":1,
			"timestamp":"2026-01-02T03:06:00Z","level":"C2"}]}`

const skipped = `{"id":"legal","phase":"pre-completion","targetAgent":"lawyer","reason":"handling_contracts is not set"}`

const decision = `{"chosen":"web-fetch","candidates":[{"agent":"web-fetch","skill":"fetch_url","score":1,"reasons":["has the skill","available"]}],
	"rejected":[{"agent":"old","code":"AGENT_UNAVAILABLE","reason":"its lease ended"}]}`

const blockedTask = `{"id":"t1","contextId":"c1","state":"TASK_STATE_INPUT_REQUIRED","phase":"pre-completion","agent":"web-fetch","skill":"fetch_url",
	"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Fetch it"}]},"attributes":{"handling_sensitive_data":true,"customer":"x"},
	"attempts":[{"number":1,"agent":"web-fetch","messageId":"m2","binding":"GRPC","startTime":"2026-01-02T03:04:05Z","endTime":"2026-01-02T03:04:07Z"}],
	"withheldArtifacts":1,"explanation":` + decision + `,"gates":[{"phase":"pre-execution","allowed":true,"checkTime":"2026-01-02T03:04:05Z"},
		{"phase":"pre-completion","subjectDigest":"sha256:aa","checkTime":"2026-01-02T03:04:08Z","requirements":[` + missing + `,` + skipped + `]}],
	"error":{"reason":"CONSULTATION_MISSING","message":"reviewer has not been consulted"},"createTime":"2026-01-02T03:04:05Z","updateTime":"2026-01-02T03:04:08Z",
	"deadline":"2026-01-03T03:04:05Z","traceId":"0af7651916cd43dd8448eb211c80319d"}`

// severalTask is done by several agents at the same time.
const severalTask = `{"id":"t1","state":"TASK_STATE_WORKING","phase":"execution","skill":"fetch_url","explanation":{"fanOut":["a","b","c"]},
	"plan":{"mode":"any","needed":1,"steps":[{"agent":"a","taskId":"s1","state":"TASK_STATE_FAILED","error":{"reason":"AGENT_FAILED","message":"no such page"}},
		{"agent":"b","taskId":"s2","state":"TASK_STATE_WORKING"},{"agent":"c"}]},
	"artifacts":[{"artifactId":"a/page","name":"page.md","parts":[{"text":"# Title"}]}],"createTime":"2026-01-02T03:04:05Z"}`

// retriedTask is with its second attempt; its gate has found evidence of too low a level, and none.
const retriedTask = `{"id":"t1","state":"TASK_STATE_WORKING","phase":"execution","agent":"web-fetch","parentTaskId":"t0","explanation":{"chosen":"web-fetch"},
	"attempts":[{"number":1,"agent":"web-fetch","binding":"GRPC","startTime":"2026-01-02T03:04:05Z","endTime":"2026-01-02T03:04:06Z","error":{"reason":"AGENT_TIMEOUT","message":"no answer"}},
		{"number":2,"agent":"web-fetch","binding":"GRPC","remoteTaskId":"r2","startTime":"2026-01-02T03:04:07Z"}],
	"gates":[{"phase":"design-review","checkTime":"2026-01-02T03:04:05Z","requirements":[
		{"id":"low","phase":"design-review","targetAgent":"reviewer","applies":true,"verdict":"approved","requiredLevel":"C3","reachedLevel":"C2"},
		{"id":"none","phase":"design-review","targetAgent":"reviewer","applies":true,"verdict":"missing","requiredLevel":"C3"}]}],"createTime":"2026-01-02T03:04:05Z"}`

const completedTask = `{"id":"t1","state":"TASK_STATE_COMPLETED","phase":"done","agent":"web-fetch","explanation":{"chosen":"web-fetch"},
	"artifacts":[{"artifactId":"a1","name":"article.md","parts":[{"text":"# Title\n\nText.\n"},{"data":{"n":1}},{"url":"https://x.example/p"},{"raw":"AAEC","mediaType":"image/png","filename":"p.png"}]}],
	"createTime":"2026-01-02T03:04:05Z"}`

const failedTask = `{"id":"t1","state":"TASK_STATE_FAILED","phase":"done","agent":"web-fetch","explanation":{"refused":"no agent fits"},
	"error":{"reason":"AGENT_FAILED","message":"the page does not exist"},"statusMessage":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"404"}]}}`

const (
	submitted = `{"sequence":"1","event":{"sequence":"1","time":"2026-01-02T03:04:05Z","type":"submitted","state":"TASK_STATE_SUBMITTED","detail":"accepted"}}`
	working   = `{"sequence":"2","event":{"sequence":"2","time":"2026-01-02T03:04:06Z","type":"state","state":"TASK_STATE_WORKING","detail":"sent to web-fetch"}}`
	done      = `{"sequence":"2","task":` + completedTask + `}`
)

func consultation(state, outcome string) string {
	return `{"id":"k1","taskId":"t1","requirementId":"review","phase":"pre-completion","sourceAgent":"web-fetch","targetAgent":"reviewer","attempt":1,"subjectDigest":"sha256:aa",
		"traceId":"0af7651916cd43dd8448eb211c80319c","state":"` + state + `","outcome":"` + outcome + `","feedback":"looks good","issueTime":"2026-01-02T03:05:00Z","expireTime":"2026-01-02T03:15:00Z"}`
}
