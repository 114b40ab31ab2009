import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asOnePage, isSharedInPage, readOncePerPage, shareInPage } from './page-reads.ts'

function counted() {
  let reads = 0
  const read = async () => {
    await turn()
    return ++reads
  }
  return { read, reads: () => reads }
}

test('calls of one page read the same rows once, and others for themselves', async () => {
  const { read } = counted()
  const page = () => asOnePage(() => Promise.all([readOncePerPage('limits', read), readOncePerPage('limits', read)]))
  const [first, second] = await Promise.all([page(), page()])
  expect(first[0]).toBe(first[1])
  expect(second[0]).toBe(second[1])
  expect(first[0]).not.toBe(second[0])
  expect(await asOnePage(() => Promise.all([readOncePerPage('a', read), readOncePerPage('b', read)]))).toEqual([3, 4])
})

test('outside a page every call reads', async () => {
  const { read } = counted()
  expect([await readOncePerPage('limits', read), await readOncePerPage('limits', read)]).toEqual([1, 2])
})

test('what a page leaves behind reads for itself once the page was answered', async () => {
  const { read } = counted()
  const answered = Promise.withResolvers<undefined>()
  let late: Promise<number> | undefined
  await asOnePage(async () => {
    shareInPage('limits')
    expect(isSharedInPage('limits')).toBe(true)
    await readOncePerPage('limits', read)
    late = (async () => {
      await answered.promise
      expect(isSharedInPage('limits')).toBe(false)
      return readOncePerPage('limits', read)
    })()
  })
  answered.resolve(undefined)
  expect(await late).toBe(2)
})

test('a failure is that of every call that waits for the read, and of no other page', async () => {
  const failing = () => Promise.reject(new Error('gone'))
  const page = asOnePage(() =>
    Promise.allSettled([readOncePerPage('limits', failing), readOncePerPage('limits', failing)]),
  )
  expect((await page).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(asOnePage(() => readOncePerPage('limits', async () => 'read'))).resolves.toBe('read')
})

test('a page shares rows of a kind where it says so, and no other page does', async () => {
  await asOnePage(async () => {
    shareInPage('limits')
    expect(isSharedInPage('limits')).toBe(true)
    expect(await asOnePage(async () => isSharedInPage('limits'))).toBe(false)
  })
  expect(isSharedInPage('limits')).toBe(false)
})
