// Package share divides a bounded quantity among parties, so that those that keep what they have leave room for others: a party may have as much as is
// free. Alone it gets half of everything, two get a third each, and there is mostly something left for a party that has nothing (dynamic thresholds:
// Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). Of Bytes too many are refused, for Places one waits.
//
// Turns are not divided: each party has its own, and waits for them.
package share
