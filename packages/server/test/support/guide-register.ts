import { type GuideBlock, guideBlocks, isShell } from './guide-blocks.ts'

/**
 * The test that runs the code of a document, by language. Commands that are not listed here are run by the test of all other pages in
 * `quickstart.test.ts`, or say in their own fence why nobody runs them.
 */
export const ranBy: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'README.md': { bash: ['packages/server/test/repository/quickstart.test.ts'] },
  'docs/quickstart.md': {
    bash: ['packages/server/test/repository/quickstart.test.ts'],
    js: ['packages/server/test/repository/guide-code.test.ts'],
  },
  'docs/team-budgets.md': { bash: ['packages/server/test/repository/quickstart.test.ts'] },
  'docs/cli.md': { sh: ['packages/cli/test/guides.test.ts'] },
  'docs/configuration-as-code.md': { sh: ['packages/cli/test/guides.test.ts'] },
  'docs/moving-from-litellm.md': { sh: ['packages/cli/test/guides.test.ts'] },
  'docs/coding-assistants.md': {
    sh: ['packages/server/test/runs/coding-assistants-guide.test.ts'],
    json: ['packages/server/test/runs/coding-assistants-guide.test.ts'],
    toml: ['packages/server/test/runs/coding-assistants-guide.test.ts'],
  },
  'docs/mcp.md': { sh: ['packages/server/test/mcp/mcp-guide.test.ts'] },
  'docs/finance.md': { sh: ['packages/server/test/insight/finance-guide.test.ts'] },
  'docs/routing.md': { sh: ['packages/server/test/runs/routing.test.ts'] },
  'docs/people.md': { sh: ['packages/server/test/people/members-guide.test.ts'] },
  'docs/passkeys.md': { sh: ['packages/server/test/people/passkeys/passkeys-guide.test.ts'] },
  'docs/scim.md': { bash: ['packages/server/test/people/scim/guide.test.ts'] },
  'docs/sso-oidc.md': { sh: ['packages/server/test/people/oidc/guide.test.ts'] },
  'docs/sso-saml.md': { sh: ['packages/server/test/people/saml/guide.test.ts'] },
  'docs/gateway.md': {
    ts: [
      'packages/gateway/test/azure.test.ts',
      'packages/gateway/test/bedrock.test.ts',
      'packages/gateway/test/vertex.test.ts',
    ],
  },
  'docs/gateway-clients.md': { js: ['packages/gateway/test/guide.test.ts'] },
  'docs/sdk-python.md': { python: ['packages/sdk-python/tests/test_docs.py'] },
  'docs/sdk-typescript.md': {
    js: ['packages/sdk/test/guide.test.ts', 'packages/sdk/test/package.test.ts', 'packages/sdk/test/browser.test.ts'],
    ts: ['packages/sdk/test/guide.test.ts'],
  },
  'docs/webhooks.md': {
    js: ['packages/server/src/webhooks/signing/signature.test.ts'],
    python: ['packages/server/src/webhooks/signing/signature.test.ts'],
  },
  'docs/policy-expressions.md': { cel: ['packages/server/test/governance/policy-reference-guide.test.ts'] },
  'docs/runbooks.md': { promql: ['packages/server/test/deploy/alerts.test.ts'] },
  'docs/slo.md': { promql: ['packages/server/test/deploy/alerts.test.ts'] },
}

/** The commands that no other test runs, by document. */
export const otherCommands: Readonly<Partial<Record<string, GuideBlock[]>>> = Object.groupBy(
  guideBlocks.filter(
    (block) => isShell(block) && block.notRun === undefined && ranBy[block.page]?.[block.language] === undefined,
  ),
  ({ page }) => page,
)
