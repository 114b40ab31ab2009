import { formatUsd, parseUsd } from '../../values/money.ts'

/**
 * A price is an integer of pico-dollars per token inside and dollars per million tokens on the wire, where six decimals are
 * exactly what an integer can hold: a millionth of a dollar per million tokens is one pico-dollar per token.
 */
const nanoPerMillionOfOnePico = 1_000n

export const picoOf = (usdPerMillion: string): bigint => parseUsd(usdPerMillion) / nanoPerMillionOfOnePico

export const usdPerMillion = (pico: bigint): string => formatUsd(pico * nanoPerMillionOfOnePico)
