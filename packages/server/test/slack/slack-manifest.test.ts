import { expect, test } from 'vitest'
import { manifestOf } from '../../src/slack/manifest.ts'
import { newUuid } from '../../src/values/id.ts'
import { manifestFaults } from '../support/message-validators.ts'

test('the manifest is one that Slack takes, by the schema that it publishes', () => {
  const manifest = manifestOf(
    { publicUrl: () => 'https://weir.example', docsUrl: () => '', setPort: () => undefined },
    newUuid(),
  )
  expect(manifestFaults(manifest)).toEqual([])
  // The reading of the schema sees what is wrong.
  for (const wrong of [
    { ...manifest, name: 'Weir' },
    { ...manifest, display_information: { ...manifest.display_information, name: 'W'.repeat(36) } },
    { ...manifest, settings: { ...manifest.settings, interactivity: { request_url: 'ftp://weir.example' } } },
  ])
    expect(manifestFaults(wrong)).not.toEqual([])
})
