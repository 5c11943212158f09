/**
 * WEBSERVICE and DDE load, INDIRECT may name any file, `'file:///a'#$Sheet.A1` and `[1]Sheet!A1` are cells of other files. The
 * cell keeps the value that was computed last.
 */
const LOADING = /webservice|\bdde\b|indirect|\[\d+\][^<>]{0,80}!|:\/\/|['\]]\s*#|#\s*\$/i;
const MAX_CHARS = 65_536;

/** Whether a formula of a sheet reaches outside of the document; one longer than any program writes counts as such. */
export const isLoadingFormula = (formula: string): boolean => formula.length > MAX_CHARS || LOADING.test(formula);
