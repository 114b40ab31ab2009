/** Returns an amount as the API takes it: null for an empty field, without a dollar sign. */
export const amountIn = (text = ''): string | null => (text.trim() === '' ? null : text.trim().replace(/^\$\s*/, ''))

/** Returns a whole number as the API takes it: null for an empty field. What is no number goes to the API as it is, to be refused there. */
export const countIn = (text = ''): number | null => {
  const digits = text.trim().replaceAll(',', '')
  if (digits === '') return null
  return /^\d{1,15}$/.test(digits) ? Number(digits) : (digits as never)
}

/** Returns whole numbers of a list, such as `50, 80`; what is no number goes to the API as it is. */
export const countsIn = (text = ''): number[] =>
  text.split(/[\s,%]+/).flatMap((one) => {
    const count = countIn(one)
    return count === null ? [] : [count]
  })
