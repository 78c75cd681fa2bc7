// Package reviewer is a small agent that reviews by stated rules and always decides the same about the same content.
//
// It rejects content that
//
//   - is empty or only white space (rule empty),
//   - holds a part that it cannot read: binary content or a URL (rule unreadable),
//   - holds an AWS access key id (aws-access-key-id), a private key block (private-key), a GitHub token (github-token), a
//     Slack token (slack-token) or a Quorate token (quorate-token),
//   - assigns a password: password, passwd, passphrase or pwd, then = or :, then a value that is no placeholder such as
//     <password> or ${PASSWORD}; behind a bare colon the value needs a digit (password-assignment),
//   - assigns a random value of 20 characters or more to a name with secret, token, api key, access key or credential in
//     it (high-entropy-assignment),
//
// and approves everything else. It looks at file names and media types, too, and into the strings of JSON. Feedback names
// each rule and the line, never the secret itself. It reads line by line, so a secret that is broken over two lines passes:
// it is a safety net, no proof that there is no secret.
package reviewer
