package dev

// AdminToken is adminToken for tests: what Run does with a file that it does not refuse has no end.
var AdminToken = adminToken
