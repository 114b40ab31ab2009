/** The names of genai-prices for prices per million tokens, and ours for the rate of one token. */
export const perToken = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cache_read',
  cache_write_mtok: 'cache_write',
  cache_write_1h_mtok: 'cache_write_1h',
  input_audio_mtok: 'input_audio',
  output_audio_mtok: 'output_audio',
  cache_audio_read_mtok: 'cache_audio_read',
  input_image_mtok: 'input_image',
  output_image_mtok: 'output_image',
  cache_image_read_mtok: 'cache_image_read',
  input_video_mtok: 'input_video',
  output_video_mtok: 'output_video',
  output_reasoning_mtok: 'output_reasoning',
  output_citation_mtok: 'output_citation',
} as const

/** Its names for prices of other things, ours for one of them, and how many the price is for. */
export const perUnit = {
  requests_kcount: ['request', 1e3],
  web_searches_kcount: ['web_search', 1e3],
  storage_searches_kcount: ['storage_search', 1e3],
  social_searches_kcount: ['social_search', 1e3],
  rerank_searches_kcount: ['rerank_search', 1e3],
  input_text_messages_kcount: ['input_text_message', 1e3],
  audio_hours: ['audio_second', 3_600],
  input_document_kpages: ['input_document_page', 1e3],
  input_annotated_document_kpages: ['input_annotated_document_page', 1e3],
} as const satisfies Record<string, readonly [string, number]>
