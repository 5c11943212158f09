/** What the bytes of an RTF file mean, told one after another. Offsets count from the start of the file. */
export interface RtfListener {
  openGroup(at: number): void;
  /** `at` is that of the brace. */
  closeGroup(at: number): void;
  /** A control word or symbol without its backslash, which is at `at`. */
  control(word: string, parameter: number | undefined, at: number): void;
  text(chunk: Buffer, start: number, end: number): void;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const APOSTROPHE = 0x27;
const SPACE = 0x20;
const MINUS = 0x2d;
/** Longer control words than offices know are control words still, of no known name. */
const MAX_WORD_CHARS = 64;
const MAX_DIGITS = 10;

const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isMarkup = (byte: number): boolean => byte === BACKSLASH || byte === OPEN || byte === CLOSE;

type State = 'text' | 'backslash' | 'word' | 'parameter' | 'hex' | 'binary';

/** Splits RTF into groups, control words and text; looks at each byte once, and goes on from chunk to chunk. */
export class RtfReader {
  readonly #listener: RtfListener;
  #state: State = 'text';
  #position = 0;
  #controlStart = 0;
  #word = '';
  #digits = '';
  #hex = '';
  #binaryLeft = 0;

  constructor(listener: RtfListener) {
    this.#listener = listener;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const bytes = this.#readRun(chunk, at);
      if (bytes === 0) this.#read(chunk[at] ?? 0);
      at += Math.max(1, bytes);
      this.#position += Math.max(1, bytes);
    }
  }

  /** Text and binary data come in long runs; returns the bytes that were taken. */
  #readRun(chunk: Buffer, start: number): number {
    if (this.#state === 'binary') {
      const bytes = Math.min(this.#binaryLeft, chunk.length - start);
      this.#binaryLeft -= bytes;
      if (this.#binaryLeft === 0) this.#state = 'text';
      return bytes;
    }
    if (this.#state !== 'text') return 0;
    let end = start;
    while (end < chunk.length && !isMarkup(chunk[end] ?? 0)) end += 1;
    if (end > start) this.#listener.text(chunk, start, end);
    return end - start;
  }

  #read(byte: number): void {
    switch (this.#state) {
      case 'backslash':
        return this.#readBackslash(byte);
      case 'word':
        return this.#readWord(byte);
      case 'parameter':
        return this.#readParameter(byte);
      case 'hex':
        return this.#readHex(byte);
      default:
        return this.#readText(byte);
    }
  }

  #readText(byte: number): void {
    if (byte === BACKSLASH) {
      this.#state = 'backslash';
      this.#controlStart = this.#position;
    } else if (byte === OPEN) this.#listener.openGroup(this.#position);
    else if (byte === CLOSE) this.#listener.closeGroup(this.#position);
    else this.#emitByte(byte);
  }

  #readBackslash(byte: number): void {
    if (isLetter(byte)) {
      this.#state = 'word';
      this.#word = String.fromCharCode(byte);
      this.#digits = '';
    } else if (byte === APOSTROPHE) {
      this.#state = 'hex';
      this.#hex = '';
    } else {
      this.#state = 'text';
      if (isMarkup(byte)) this.#emitByte(byte);
      else this.#listener.control(String.fromCharCode(byte), undefined, this.#controlStart);
    }
  }

  #readWord(byte: number): void {
    if (isLetter(byte)) {
      if (this.#word.length < MAX_WORD_CHARS) this.#word += String.fromCharCode(byte);
    } else if (isDigit(byte) || byte === MINUS) {
      this.#state = 'parameter';
      this.#digits = String.fromCharCode(byte);
    } else this.#endControl(byte);
  }

  #readParameter(byte: number): void {
    if (!isDigit(byte)) this.#endControl(byte);
    else if (this.#digits.length < MAX_DIGITS) this.#digits += String.fromCharCode(byte);
  }

  /** `byte` is the first behind the control word: a blank belongs to it. */
  #endControl(byte: number): void {
    const parameter = /\d/.test(this.#digits) ? Number(this.#digits) : undefined;
    this.#state = 'text';
    if (this.#word === 'bin' && parameter !== undefined && parameter > 0) this.#startBinary(parameter, byte);
    else {
      this.#listener.control(this.#word, parameter, this.#controlStart);
      if (byte !== SPACE) this.#readText(byte);
    }
  }

  #startBinary(bytes: number, byte: number): void {
    // without a blank the first byte of them is here already
    this.#binaryLeft = byte === SPACE ? bytes : bytes - 1;
    if (this.#binaryLeft > 0) this.#state = 'binary';
  }

  #readHex(byte: number): void {
    this.#hex += String.fromCharCode(byte);
    if (this.#hex.length < 2) return;
    this.#state = 'text';
    const code = /^[0-9a-f]{2}$/i.test(this.#hex) ? Number.parseInt(this.#hex, 16) : undefined;
    if (code !== undefined) this.#emitByte(code);
  }

  #emitByte(byte: number): void {
    this.#listener.text(Buffer.of(byte), 0, 1);
  }
}
