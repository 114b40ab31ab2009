import type { FastifyReply } from 'fastify'

const nothing = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
const nameOf = (rule: string) => rule.split(' ', 1)[0]

/** Returns a Content-Security-Policy that forbids everything but the given rules. */
export const contentPolicy = (...rules: string[]) => {
  const given = new Set(rules.map(nameOf))
  return [...nothing.filter((rule) => !given.has(nameOf(rule))), ...rules].join('; ')
}

/** Policy for pictures: styles of their own for readers who prefer dark, and nothing that runs or loads anything. */
const svgPolicy = contentPolicy("style-src 'unsafe-inline'", 'sandbox')

/** Prepares a response with an SVG of which a browser runs nothing, whoever has named its contents. */
export const asSvg = (reply: FastifyReply) =>
  reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', svgPolicy)
