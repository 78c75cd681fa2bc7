// Package legacy translates between A2A 0.3, as JSON, and the messages of A2A 1.0.
//
// It uses a2a-go's types of both versions. The data of a part is an object in 0.3 and any JSON value in 1.0. A value that is not an object is wrapped in
// one and unwrapped on the way back, in the way of the A2A project's SDKs. Media types and file names of text and data have no place in 0.3: what is sent
// to an agent has them in the metadata of the part, and in answers they are lost. What agents answer is read as they mean it, also where it has no kinds, or
// the states of 1.0.
package legacy
