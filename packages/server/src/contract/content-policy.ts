import type { FastifyReply } from 'fastify'

/** What a page may do: nothing, beside what is named. */
export const contentPolicy = (...rules: string[]) =>
  ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", ...rules].join('; ')

/** A picture has a style of its own for readers who prefer dark, and nothing that could run or ask for anything. */
const picturePolicy = contentPolicy("style-src 'unsafe-inline'", 'sandbox')

/** An SVG that a browser shows and runs nothing of, whoever has named what stands in it. */
export const asPicture = (reply: FastifyReply) =>
  reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', picturePolicy)
