/** The format of a provider's keys or tokens: literal prefixes, a shape, and an optional validation. */
export interface SecretFormat {
  readonly provider: string
  /** Literal texts, one of which every key contains; the scan searches for these first. */
  readonly starts: readonly string[]
  /** Matched where a prefix was found. Every repetition is bounded, and no two adjacent ones match the same characters. */
  readonly shape: RegExp
  /** True when the key may directly follow letters and digits; false by default. */
  readonly anywhere?: true
  readonly isValid?: (found: string) => boolean
}

const base64url = (text: string) => Buffer.from(text, 'base64url').toString('utf8')
const isJwt = (found: string) => {
  const header = base64url(found.split('.')[0]!)
  return header.startsWith('{"') && /"(?:alg|typ|enc)"/.test(header)
}

/** True when a text has enough entropy to be random; `xxxx…` and `1234…` do not. */
export function looksRandom(text: string, leastBits: number): boolean {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits >= leastBits
}

export const secretFormats: readonly SecretFormat[] = [
  { provider: 'Weir', starts: ['weir_'], shape: /weir_[a-z0-9]{27,34}_[0-9A-Za-z]{49}(?![0-9A-Za-z])/y },
  { provider: 'Anthropic', starts: ['sk-ant-'], shape: /sk-ant-[a-z]{2,8}\d{2}-[\w-]{80,120}/y },
  { provider: 'OpenRouter', starts: ['sk-or-'], shape: /sk-or-v1-[0-9a-f]{64}/y },
  { provider: 'OpenAI', starts: ['sk-'], shape: /sk-(?:proj|svcacct|admin|None)-[\w-]{40,200}/y },
  { provider: 'OpenAI', starts: ['sk-'], shape: /sk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}/y },
  { provider: 'OpenAI', starts: ['sk-'], shape: /sk-[0-9A-Za-z]{32,64}(?![\w-])/y },
  {
    provider: 'AWS',
    starts: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    shape: /A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![0-9A-Za-z])/y,
  },
  { provider: 'GitHub', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], shape: /gh[pousr]_[0-9A-Za-z]{36,251}/y },
  { provider: 'GitHub', starts: ['github_pat_'], shape: /github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}/y },
  {
    provider: 'GitLab',
    starts: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glft-'],
    shape: /gl(?:pat|dt|rt|ptt|cbt|soat|ft)-[\w.-]{20,300}/y,
  },
  {
    provider: 'Slack',
    starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxe', 'xoxs-'],
    shape: /xox[abeprs](?:\.xox[bp])?-[\w-]{20,250}/y,
  },
  { provider: 'Slack', starts: ['xapp-'], shape: /xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[0-9a-f]{32,80}/y },
  {
    provider: 'Slack',
    starts: ['hooks.slack.com/'],
    shape: /hooks\.slack\.com\/(?:services|workflows)\/T[A-Z0-9]{6,14}\/[AB][A-Z0-9]{6,14}\/[\w/]{16,60}/y,
    anywhere: true,
  },
  {
    provider: 'Stripe',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    shape: /[rs]k_(?:live|test)_[0-9A-Za-z]{20,250}/y,
  },
  { provider: 'Stripe', starts: ['whsec_'], shape: /whsec_[0-9A-Za-z+/]{28,64}/y },
  { provider: 'Google', starts: ['AIza'], shape: /AIza[\w-]{35}(?![\w-])/y },
  { provider: 'Google', starts: ['ya29.'], shape: /ya29\.[\w-]{40,400}/y },
  { provider: 'Google', starts: ['GOCSPX-'], shape: /GOCSPX-[\w-]{28}(?![\w-])/y },
  { provider: 'Azure', starts: ['AccountKey='], shape: /AccountKey=[0-9A-Za-z+/]{86}==/y, anywhere: true },
  { provider: 'Azure', starts: ['SharedAccessKey='], shape: /SharedAccessKey=[0-9A-Za-z+/]{43}=/y, anywhere: true },
  { provider: 'Azure', starts: ['8Q~', '7Q~'], shape: /[78]Q~[\w.~-]{31,34}/y, anywhere: true },
  { provider: 'SendGrid', starts: ['SG.'], shape: /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y },
  { provider: 'npm', starts: ['npm_'], shape: /npm_[0-9A-Za-z]{36}(?![0-9A-Za-z])/y },
  { provider: 'PyPI', starts: ['pypi-AgE'], shape: /pypi-AgE[\w-]{50,250}/y },
  { provider: 'Hugging Face', starts: ['hf_', 'api_org_'], shape: /(?:hf|api_org)_[A-Za-z]{34}(?![0-9A-Za-z])/y },
  { provider: 'DigitalOcean', starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'], shape: /do[opr]_v1_[0-9a-f]{64}/y },
  {
    provider: 'Shopify',
    starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    shape: /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/y,
  },
  { provider: 'Databricks', starts: ['dapi'], shape: /dapi[0-9a-f]{32}(?:-\d)?(?![0-9a-f])/y },
  { provider: 'Groq', starts: ['gsk_'], shape: /gsk_[0-9A-Za-z]{52}/y },
  { provider: 'xAI', starts: ['xai-'], shape: /xai-[0-9A-Za-z]{80}/y },
  { provider: 'Perplexity', starts: ['pplx-'], shape: /pplx-[0-9A-Za-z]{48}/y },
  { provider: 'Replicate', starts: ['r8_'], shape: /r8_[0-9A-Za-z]{37}/y },
  { provider: 'Vault', starts: ['hvs.', 'hvb.'], shape: /hv[bs]\.[\w-]{24,300}/y },
  { provider: 'Linear', starts: ['lin_api_'], shape: /lin_api_[0-9A-Za-z]{40}/y },
  { provider: 'Notion', starts: ['ntn_'], shape: /ntn_[0-9A-Za-z]{43,50}/y },
  { provider: 'Figma', starts: ['figd_'], shape: /figd_[\w-]{40,60}/y },
  { provider: 'Postman', starts: ['PMAK-'], shape: /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/y },
  {
    provider: 'Grafana',
    starts: ['glsa_', 'glc_'],
    shape: /gl(?:sa_[0-9A-Za-z]{32}_[0-9a-f]{8}|c_[0-9A-Za-z+/]{32,400})/y,
  },
  { provider: 'Docker', starts: ['dckr_pat_'], shape: /dckr_pat_[\w-]{27,40}/y },
  { provider: 'Doppler', starts: ['dp.pt.', 'dp.st.'], shape: /dp\.[ps]t\.[\w.]{40,60}/y },
  { provider: 'PlanetScale', starts: ['pscale_'], shape: /pscale_(?:tkn|oauth|pw)_[\w.=-]{32,64}/y },
  { provider: 'Sentry', starts: ['sntrys_', 'sntryu_'], shape: /sntry[su]_[0-9A-Za-z+/=_]{40,400}/y },
  { provider: 'Supabase', starts: ['sbp_'], shape: /sbp_[0-9a-f]{40}/y },
  { provider: 'New Relic', starts: ['NRAK-'], shape: /NRAK-[0-9A-Z]{27}/y },
  { provider: 'Mailchimp', starts: ['-us'], shape: /(?<=\b[0-9a-f]{32})-us\d{1,2}\b/y, anywhere: true },
  { provider: 'Telegram', starts: [':AA'], shape: /(?<=\b\d{8,10}):AA[\w-]{33}(?![\w-])/y, anywhere: true },
  { provider: 'age', starts: ['AGE-SECRET-KEY-1'], shape: /AGE-SECRET-KEY-1[0-9A-Z]{58}/y },
  {
    provider: 'a token in JSON',
    starts: ['eyJ'],
    shape: /eyJ[\w-]{10,2000}\.eyJ[\w-]{5,4000}\.[\w-]{10,1000}/y,
    isValid: isJwt,
  },
  {
    provider: 'a private key',
    starts: ['-----BEGIN'],
    shape: /-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH|ENCRYPTED|PGP) )?PRIVATE KEY(?: BLOCK)?-----/y,
    anywhere: true,
  },
  { provider: 'PuTTY', starts: ['PuTTY-User-Key-File'], shape: /PuTTY-User-Key-File-[23]: [\w-]{4,40}/y },
]
