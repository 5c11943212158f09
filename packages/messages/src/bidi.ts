/** Characters that change the direction of the text behind them. */
const BIDI_CONTROLS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** `text` without characters that change its direction: a name from outside cannot turn round the sentence that it stands in. */
export const withoutBidiControls = (text: string): string => text.replaceAll(BIDI_CONTROLS, '');
