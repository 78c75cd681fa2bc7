// Package reviewer is a small agent that reviews by fixed rules and always decides the same about the same content.
//
// It rejects content that
//
//   - is empty or only white space (rule empty),
//   - has a part that it cannot read: binary content or a URL (rule unreadable),
//   - contains an AWS access key id (aws-access-key-id), a private key block (private-key), a GitHub token (github-token), a
//     Slack token (slack-token) or a Quorate token (quorate-token),
//   - assigns a password: password, passwd, passphrase or pwd, then = or :, then a value that is not a placeholder such as
//     <password> or ${PASSWORD}; after a bare colon the value must contain a digit (password-assignment),
//   - assigns a random value of 20 characters or more to a name that contains secret, token, api key, access key or
//     credential (high-entropy-assignment),
//
// and approves everything else. It also checks file names, media types and the strings inside JSON, and texts that follow each
// other as one. Feedback names each rule and the line, never the secret itself. It reads line by line, so it misses a secret
// that is split over two lines: it is a safety net, not a proof that there is no secret.
package reviewer
