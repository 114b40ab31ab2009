import { expect, test } from 'vitest'
import { Circuit } from './circuit.ts'

function circuitAt() {
  const time = { nowMs: 1_000_000 }
  return { time, circuit: new Circuit({ monotonicMs: () => time.nowMs, wallMs: () => 0 }) }
}

const fail = (circuit: Circuit, times: number) => {
  for (let i = 0; i < times; i += 1) circuit.failed()
}

test('a circuit opens with the fifth failure, and closes with a success', () => {
  const { circuit } = circuitAt()
  fail(circuit, 4)
  expect(circuit.isOpen).toBe(false)
  fail(circuit, 1)
  expect(circuit.isOpen).toBe(true)
  circuit.succeeded()
  expect(circuit.isOpen).toBe(false)
})

test('failures that lie far apart open nothing', () => {
  const { time, circuit } = circuitAt()
  for (let i = 0; i < 20; i += 1) {
    circuit.failed()
    time.nowMs += 11_000
  }
  expect(circuit.isOpen).toBe(false)
})

test('after its time one call tries, and a single failure opens it again', () => {
  const { time, circuit } = circuitAt()
  fail(circuit, 5)
  time.nowMs += 31_000
  expect(circuit.isOpen).toBe(false)
  fail(circuit, 1)
  expect(circuit.isOpen).toBe(true)
})
