package pdftext

import "math"

// matrix is a transformation of coordinates, in the order in which operators have its numbers.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1}

// translation returns a matrix that moves the origin.
func translation(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// times returns the transformation by m and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// scale returns by what factor lengths grow, on average over both directions.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }
