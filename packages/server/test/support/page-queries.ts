/** Most statements that read or write tables, of one page of the console. */
export const maxQueries = 12

/** True for a file to download, which may take as many queries as it is long. */
export const isFile = (template: string): boolean => /\.csv$|export$/.test(template)

/** Returns how many queries a page may make. */
export const mostQueries = (template: string): number => (isFile(template) ? Number.POSITIVE_INFINITY : maxQueries)
