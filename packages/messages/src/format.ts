export interface Format {
  readonly number: (value: number) => string;
  /** Of a share from 0 to 1. */
  readonly percent: (share: number) => string;
  readonly bytes: (bytes: number) => string;
  readonly date: (iso: string) => string;
  /** Of a day that is the same wherever one is, such as that of a letter. */
  readonly day: (day: string) => string;
  readonly dateTime: (iso: string) => string;
  /** "3 minutes ago", "in 2 hours". */
  readonly ago: (iso: string, now?: number) => string;
  /** "1 min 5 s". */
  readonly duration: (seconds: number) => string;
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
/** As settings and file managers count, so that a limit of 50 MB is told as 50 MB. */
const BYTE_STEP = 1_024;
const LAST_BEFORE_ROUNDING = BYTE_STEP / (BYTE_STEP - 0.5);
const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export const makeFormat = (tag: string): Format => {
  const number = new Intl.NumberFormat(tag);
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium' });
  const day = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' });
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  // to make one costs more than to draw the row of a list in which it is used
  const units = new Map<string, Intl.NumberFormat>();
  const unitFormat = (name: string, digits: number): Intl.NumberFormat => {
    const key = `${name} ${digits}`;
    const made =
      units.get(key) ??
      // of bytes the short form is the word itself, and has no plural
      new Intl.NumberFormat(tag, {
        style: 'unit',
        unit: name,
        unitDisplay: name === 'byte' ? 'long' : 'short',
        maximumFractionDigits: digits,
      });
    units.set(key, made);
    return made;
  };
  const unit = (value: number, name: string, digits = 0): string => unitFormat(name, digits).format(value);
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    bytes: (bytes) => {
      // what is rounded up to a whole step is one of the next unit
      const digits = Math.log(Math.max(1, bytes * LAST_BEFORE_ROUNDING)) / Math.log(BYTE_STEP);
      const step = Math.min(BYTE_UNITS.length - 1, Math.floor(digits));
      const value = bytes / BYTE_STEP ** step;
      return unit(value, BYTE_UNITS[step] ?? 'byte', value < 10 && step > 0 ? 1 : 0);
    },
    date: (iso) => date.format(new Date(iso)),
    // an address may have anything for a day
    day: (text) => (Number.isNaN(Date.parse(text)) ? text : day.format(new Date(text))),
    dateTime: (iso) => dateTime.format(new Date(iso)),
    ago: (iso, now = Date.now()) => {
      const seconds = Math.round((new Date(iso).getTime() - now) / 1_000);
      const [name, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
      return relative.format(Math.trunc(seconds / size), name);
    },
    duration: (seconds) => {
      const whole = Math.round(seconds);
      if (whole < 60) return unit(seconds, 'second', seconds < 10 ? 1 : 0);
      if (whole < 3_600) return `${unit(Math.floor(whole / 60), 'minute')} ${unit(whole % 60, 'second')}`;
      const minutes = Math.round(seconds / 60);
      return `${unit(Math.floor(minutes / 60), 'hour')} ${unit(minutes % 60, 'minute')}`;
    },
  };
};

/**
 * For programs: their time zone is not that of their readers, so times stay as ISO 8601 has them; and fields are in seconds, so durations are
 * as well.
 */
export const makeProgramFormat = (tag: string): Format => ({
  ...makeFormat(tag),
  dateTime: (iso) => iso,
  duration: (seconds) => `${seconds} s`,
});
