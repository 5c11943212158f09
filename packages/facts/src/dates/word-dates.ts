import { type Atom, fold } from '../text/phrases.ts';

const ORDINALS = new Set(['st', 'nd', 'rd', 'th', 'er', 'e', 'o', 'a', 'ste', 'de', 'ten']);
const CONNECTORS = new Set(['de', 'of', 'del', 'do', 'di', 'van', 'the', 'day', 'd', 'gada', 'roku']);
const SIGNS = new Set(['.', ',', '-', '/', "'", '’', '°', 'º', 'ª', '‐', '–', '_']);
/** "21st of March, '24" has three between month and year. */
const MAX_BETWEEN = 3;

/** A date whose month is a word, beginning with the atom `at`: 3. Mai 2024, May 3rd, 2024, 2024 May 3, 03-MAY-24, May 2024. */
export const readWordDate = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const atom = atoms[at];
  if (atom?.kind === 'letters') return readMonthFirst(atoms, at, languages);
  if (atom?.text.length === 4) return readYearFirst(atoms, at, languages);
  return (atom?.text.length ?? 0) <= 2 ? readDayFirst(atoms, at, languages) : undefined;
};

/** The place of the next atom that is no sign and no connecting word. */
const skip = (atoms: readonly Atom[], from: number, words: ReadonlySet<string> = CONNECTORS): number => {
  let at = from;
  for (let count = 0; count < MAX_BETWEEN; count += 1) {
    const atom = atoms[at];
    if (atom === undefined) break;
    if (!(atom.kind === 'sign' ? SIGNS.has(atom.text) : words.has(atom.folded))) break;
    at += 1;
  }
  return at;
};

/** Past "st" of "21st". */
const skipOrdinal = (atoms: readonly Atom[], at: number): number => {
  const atom = atoms[at];
  return atom !== undefined && !atom.isSpaced && ORDINALS.has(atom.folded) ? at + 1 : at;
};

const monthAt = (atoms: readonly Atom[], at: number, languages: readonly string[]): number | undefined => {
  const atom = atoms[at];
  return atom?.kind === 'letters' ? monthOf(atom.folded, languages) : undefined;
};

const dayAt = (atoms: readonly Atom[], at: number): number | undefined => {
  const atom = atoms[at];
  return atom?.kind === 'digits' && atom.text.length <= 2 ? Number(atom.text) : undefined;
};

const hasFourDigits = (atom: Atom | undefined): boolean => atom?.kind === 'digits' && atom.text.length === 4;

/** A year of four digits, or of two that no time and no longer year follows. */
const yearAt = (atoms: readonly Atom[], at: number): string | undefined => {
  const atom = atoms[at];
  if (hasFourDigits(atom)) return atom?.text;
  if (atom?.kind !== 'digits' || atom.text.length !== 2) return undefined;
  const next = atoms[at + 1];
  const isTime = next?.text === ':' && !next.isSpaced;
  return isTime || hasFourDigits(atoms[skip(atoms, at + 1)]) ? undefined : atom.text;
};

const readDayFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const day = dayAt(atoms, at);
  const monthPlace = skip(atoms, skipOrdinal(atoms, at + 1));
  const month = monthAt(atoms, monthPlace, languages);
  const yearPlace = skip(atoms, monthPlace + 1);
  const year = yearAt(atoms, yearPlace);
  if (day === undefined || month === undefined || year === undefined) return undefined;
  return { next: yearPlace + 1, form: 'words', parts: [{ order: 'day_first', year, month, day }] };
};

const readMonthFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const month = monthAt(atoms, at, languages);
  if (month === undefined) return undefined;
  const dayPlace = skip(atoms, at + 1);
  const day = dayAt(atoms, dayPlace);
  const yearPlace = skip(atoms, skipOrdinal(atoms, dayPlace + 1));
  const year = yearAt(atoms, yearPlace);
  if (day !== undefined && year !== undefined && (day <= 31 || year.length === 4))
    return { next: yearPlace + 1, form: 'words', parts: [{ order: 'month_first', year, month, day }] };
  // after a number it is what is left of a day that does not exist, such as 30 February
  const isWhole = hasFourDigits(atoms[dayPlace]) && dayAt(atoms, at - 1) === undefined && dayAt(atoms, at - 2) === undefined;
  if (!isWhole) return undefined;
  return { next: dayPlace + 1, form: 'month', parts: [{ order: 'month_first', year: atoms[dayPlace]?.text ?? '', month, day: 1 }] };
};

const readYearFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const year = atoms[at]?.text ?? '';
  const second = skip(atoms, at + 1);
  const third = skip(atoms, second + 1);
  const [day, month] = [dayAt(atoms, second), monthAt(atoms, third, languages)];
  // "No. 2016 3 May 2018" has its year behind the month
  if (hasFourDigits(atoms[skip(atoms, third + 1)])) return undefined;
  if (day !== undefined && month !== undefined)
    return { next: third + 1, form: 'words', parts: [{ order: 'year_first', year, month, day }] };
  const [otherMonth, otherDay] = [monthAt(atoms, second, languages), dayAt(atoms, third)];
  if (otherDay === undefined || otherMonth === undefined) return undefined;
  return { next: third + 1, form: 'words', parts: [{ order: 'year_first', year, month: otherMonth, day: otherDay }] };
};

/** 2021年7月21日 */
export const readJapaneseDate = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [year, yearSign, month, monthSign, day, daySign] = atoms.slice(at, at + 6);
  if (!hasFourDigits(year) || yearSign?.text !== '年' || monthSign?.text !== '月' || daySign?.text.startsWith('日') !== true)
    return undefined;
  if (month?.kind !== 'digits' || day?.kind !== 'digits') return undefined;
  const parts = [{ order: 'year_first', year: year?.text ?? '', month: Number(month.text), day: Number(day.text) }] as const;
  return { next: at + 6, form: 'words', parts };
};

/** Twelve groups, January first; names and abbreviations as people write them, in the cases of the language that dates take. */
const NAMES: Readonly<Record<string, string>> = {
  en: 'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec',
  de: 'januar jan jänner jän|februar feb feber|märz mär mrz|april apr|mai|juni jun|juli jul|august aug|september sept sep|oktober okt|november nov|dezember dez',
  fr: 'janvier janv jan|février févr fév|mars|avril avr|mai|juin|juillet juil|août aou|septembre sept|octobre oct|novembre nov|décembre déc',
  es: 'enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre setiembre sep set sept|octubre oct|noviembre nov|diciembre dic',
  it: 'gennaio gen|febbraio feb febbr|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set sett|ottobre ott|novembre nov|dicembre dic',
  nl: 'januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep sept|oktober okt|november nov|december dec',
  pt: 'janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez',
  pl: 'stycznia styczeń sty|lutego luty lut|marca marzec mar|kwietnia kwiecień kwi|maja maj|czerwca czerwiec cze|lipca lipiec lip|sierpnia sierpień sie|września wrzesień wrz|października październik paź|listopada listopad lis|grudnia grudzień gru',
  cs: 'ledna leden led|února únor úno|března březen bře|dubna duben dub|května květen kvě|června červen čer|července červenec čvc|srpna srpen srp|září zář|října říjen říj|listopadu listopad lis|prosince prosinec pro',
  sk: 'januára január|februára február feb|marca marec|apríla apríl|mája máj|júna jún|júla júl|augusta august|septembra september|októbra október okt|novembra november|decembra december',
  hr: 'siječnja siječanj sij|veljače veljača velj|ožujka ožujak ožu|travnja travanj tra|svibnja svibanj svi|lipnja lipanj lip|srpnja srpanj srp|kolovoza kolovoz kol|rujna rujan ruj|listopada listopad lis|studenoga studenog studeni stu|prosinca prosinac pro',
  tr: 'ocak oca|şubat şub|mart|nisan nis|mayıs|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|kasım kas|aralık ara',
  lv: 'janvāris janvārī janvāra|februāris februārī februāra|marts martā marta|aprīlis aprīlī aprīļa|maijs maijā maija|jūnijs jūnijā jūnija|jūlijs jūlijā jūlija|augusts augustā augusta|septembris septembrī septembra|oktobris oktobrī oktobra|novembris novembrī novembra|decembris decembrī decembra',
  uk: 'січня січень|лютого лютий|березня березень|квітня квітень|травня травень|червня червень|липня липень|серпня серпень|вересня вересень|жовтня жовтень|листопада листопад|грудня грудень',
};

const monthsOf = (names: string): [string, number][] =>
  names.split('|').flatMap((group, at) => group.split(' ').map((name): [string, number] => [fold(name), at + 1]));

const BY_LANGUAGE = new Map(Object.entries(NAMES).map(([language, names]) => [language, new Map(monthsOf(names))]));

/** Of names that two languages give to different months, such as the Croatian listopad, the language listed first decides. */
const ANY_LANGUAGE = new Map(Object.values(NAMES).flatMap(monthsOf).toReversed());

/** 1 to 12 for a folded name of a month, in the first of `languages` (ISO 639-1) that has it, else in any; undefined for other words. */
const monthOf = (name: string, languages: readonly string[]): number | undefined => {
  const month = ANY_LANGUAGE.get(name);
  if (month === undefined) return undefined;
  for (const language of languages) {
    const own = BY_LANGUAGE.get(language)?.get(name);
    if (own !== undefined) return own;
  }
  return month;
};

export interface OrderHints {
  /** Of the sender's earlier documents. */
  readonly ofSender?: DateOrder | undefined;
  /** Set by the people who use the service. */
  readonly preferred?: DateOrder | undefined;
  /** ISO 639-1 */
  readonly languages: readonly string[];
}

export interface ChosenOrder {
  readonly order: DateOrder;
  /** How much an ambiguous date can be relied on with it, 0 to 1. */
  readonly certainty: number;
}

const CERTAINTY = { page: 0.98, sender: 0.95, preferred: 0.9, language: 0.88, english: 0.75 };
/** They write 2024-05-03, and the year first of three pairs of digits too. */
const YEAR_FIRST = new Set(['ja', 'zh', 'ko', 'hu', 'lt']);

/**
 * The order to take ambiguous dates in: that of the other dates of the document, of the sender's earlier ones, the preferred one, or
 * the usual one of the language. English is taken as day first: for documents from the United States the preferred order
 * has to say so.
 */
export const chooseOrder = (mentions: readonly DateMention[], { ofSender, preferred, languages }: OrderHints): ChosenOrder => {
  const written = orderOnPage(mentions);
  if (written !== undefined) return { order: written, certainty: CERTAINTY.page };
  if (ofSender !== undefined) return { order: ofSender, certainty: CERTAINTY.sender };
  if (preferred !== undefined) return { order: preferred, certainty: CERTAINTY.preferred };
  const [language = 'en'] = languages;
  return { order: YEAR_FIRST.has(language) ? 'year_first' : 'day_first', certainty: CERTAINTY[language === 'en' ? 'english' : 'language'] };
};

/** What the dates with only one meaning have in common; undefined without any, or where they disagree. */
const orderOnPage = (mentions: readonly DateMention[]): DateOrder | undefined => {
  const counts = { day_first: 0, month_first: 0 };
  for (const { form, readings } of mentions) {
    const orders = new Set(readings.map(({ order }) => order).filter((order) => order !== 'year_first'));
    const [order] = orders;
    if (form === 'numeric' && orders.size === 1 && order !== undefined) counts[order] += 1;
  }
  if (counts.day_first === counts.month_first) return undefined;
  return counts.day_first > counts.month_first ? 'day_first' : 'month_first';
};

/** In which order the numbers of a date stand. */
export type DateOrder = 'day_first' | 'month_first' | 'year_first';

export interface DateReading {
  /** YYYY-MM-DD */
  readonly iso: string;
  readonly order: DateOrder;
}

type DateForm = 'numeric' | 'words' | 'month' | 'compact';

/** A date in a line, with all that it can mean. */
export interface DateMention {
  /** Offsets in the line. */
  readonly start: number;
  readonly end: number;
  readonly form: DateForm;
  /** Two of them with one order never; at least one. */
  readonly readings: readonly DateReading[];
}

export interface ScanContext {
  readonly now: Date;
  /** Whether eight digits are a date without a word that says so, as in the name of a file. */
  readonly isCompactSure?: boolean | undefined;
  /** ISO 639-1; names of months are taken from any language, but in doubt from these. */
  readonly languages: readonly string[];
}

/** What a reader of one form gives: where the date ends, counted in atoms, and its parts in each order. */
export interface RawDate {
  readonly next: number;
  readonly form: DateForm;
  readonly parts: readonly { readonly order: DateOrder; readonly year: string; readonly month: number; readonly day: number }[];
}
