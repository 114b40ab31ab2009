const shape = /^[^\s@"(),:;<>[\\\]\p{C}]+@[^\s@"(),:;<>[\\\]\p{C}]+\.[^\s@"(),:;<>[\\\]\p{C}.]+$/u
const maxLength = 254

/** True for an e-mail address as people have them: without quotes, comments or spaces. */
export const isEmail = (text: string): boolean => text.length <= maxLength && shape.test(text.trim())

/** Returns the form in which two e-mail addresses are compared. */
export const normalEmail = (text: string): string => text.normalize('NFKC').trim().toLowerCase()
