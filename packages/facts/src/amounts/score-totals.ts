import { wordsAbove, wordsBefore } from '../text/label.ts';
import type { Line } from '../text/page-lines.ts';
import { Phrases, wordsOf } from '../text/phrases.ts';
import { type AmountMention, scanAmounts } from './scan-amounts.ts';

/** What the words before an amount make of it. */
export type AmountRole =
  | 'final'
  | 'total'
  | 'inclusive'
  | 'net_total'
  | 'subtotal'
  | 'net'
  | 'tax'
  | 'rounding'
  | 'tender'
  | 'change'
  | 'other';

/** English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, as in the lists below. */
const FINAL =
  new Phrases(`grand total, amount due, amt due, balance due, total due, amount payable, total payable, total amount payable, total amt payable, please pay, total to pay,
  amount to pay, total rounded, invoice total, total invoice, total after adj, total amount due, to pay, payable amount, total after rounding,
  rechnungsbetrag, gesamtbetrag, endbetrag, zahlbetrag, zu zahlen, zu zahlender betrag, gesamtsumme, endsumme, rechnungssumme, bruttobetrag, summe brutto, gesamt brutto, bruttosumme, zahlungsbetrag,
  total ttc, net a payer, montant ttc, total a payer, montant a payer, montant du, reste a payer, montant total ttc, solde a payer, solde du,
  total a pagar, importe total, total factura, importe a pagar, liquido a pagar, total fatura, total geral, valor total, valor a pagar, montante a pagar,
  totale fattura, totale documento, totale da pagare, netto a pagare, totale complessivo, totale a pagare, importo totale, totale ivato, totale dovuto, importo dovuto,
  te betalen, totaal te betalen, factuur totaal, factuurbedrag, totaalbedrag, te voldoen, eindtotaal, totaal incl btw, totaal inclusief btw, totaal factuur,
  do zaplaty, razem do zaplaty, kwota do zaplaty, wartosc brutto, razem brutto, kwota brutto, suma brutto, naleznosc, do zaplacenia`);
const TOTAL = new Phrases(
  `total, totals, ttl, amount total, total amount, sum, summe, gesamt, betrag gesamt, total general, totale, totaal, suma, razem, ogolem, lacznie, brutto, montant total, bill amount, tot`,
);
const NET_TOTAL = new Phrases(`net total, nett total, net amt, nett amt, net amount, nett amount, net payable`);
const SUBTOTAL = new Phrases(
  `subtotal, sub total, sous total, zwischensumme, zwischenbetrag, subtotale, subtotaal, sub totaal, suma czesciowa, sum of items, gross amt, gross amount, gross total`,
);
const EXCLUSIVE =
  new Phrases(`excl, excluding, exclusive, excluded, exc, ex vat, before tax, before vat, ohne, ht, hors, sin iva, sin, senza iva, exclusief, zonder, sem iva, netto, net of, taxable, untaxed, untaxed amount, taxable amount,
  warenwert, nettobetrag, nettosumme, netto summe, summe netto, gesamt netto, total ht, montant ht, base imponible, base, imponibile, totale imponibile, grondslag, base tributavel, iliquido, total iliquido, incidencia,
  wartosc netto, razem netto, kwota netto, net, nett`);
const INCLUSIVE = new Phrases(
  `incl, inclusive, including, inc, with gst, with tax, with vat, inkl, einschl, ttc, toutes taxes comprises, con iva, iva incluido, iva inclusa, ivato, inclusief, com iva, iva incluido, z vat`,
);
const TAX =
  new Phrases(`tax, gst, vat, sst, hst, pst, svr tax, sales tax, service tax, tax amount, mwst, ust, mehrwertsteuer, umsatzsteuer, steuer, steuerbetrag, mwst betrag, ust betrag, tva, montant tva, total tva,
  iva, cuota iva, importe iva, cuota, impuesto, imposta, totale iva, btw, btw bedrag, imposto, valor iva, total iva, podatek, kwota vat, podatek vat, ptu`);
const AMOUNT = new Phrases(`amount, amt, betrag, montant, importe, importo, bedrag, valor, kwota`);
const TAX_WITHIN = new Phrases(
  `included in total, total includes, total included, includes, of which, thereof, davon, darin enthalten, enthaltene, dont, dont tva, di cui, di cui iva, waarvan, waarvan btw, w tym, w tym vat, incluye`,
);
/** At the beginning of a row that adds a tax. */
const ADDED = new Phrases(`zzgl, zuzuglich, plus, add, zuz`);
const ROUNDING = new Phrases(
  `rounding, rounding adj, rounding adjustment, rounding adjusment, round amt, round adj, rnd, rounded, rundung, rundungsdifferenz, arrondi, redondeo, arrotondamento, afronding, arredondamento, zaokraglenie`,
);
const TENDER =
  new Phrases(`cash, visa, master, mastercard, debit, debit card, credit card, amex, card, paid, payment, tender, tendered, received, amount paid, paid amount, collected, accepted total, acceptad total, deposit, e wallet, paypal,
  bar, bargeld, gegeben, ec karte, girocard, kartenzahlung, bezahlt, erhalten, anzahlung, especes, carte, cb, recu, paye, deja paye, acompte, efectivo, tarjeta, entregado, pagado, contanti, carta, pagato, acconto,
  contant, pin, betaald, ontvangen, dinheiro, multibanco, cartao, pago, gotowka, karta, zaplacono, wplata`);
const CHANGE = new Phrases(
  `change, change due, change amt, cash change, balance change, ruckgeld, wechselgeld, zuruck, rendu, monnaie rendue, a rendre, cambio, resto, wisselgeld, terug, troco, reszta`,
);
const OTHER =
  new Phrases(`discount, disc, saving, savings, saved, you saved, qty, quantity, item, items, points, supplies, unit price, price, previous balance, balance brought forward, credit limit, minimum payment, exchange rate, capital, per litre,
  rabatt, skonto, nachlass, ersparnis, einzelpreis, stuckpreis, menge, preis, remise, escompte, rabais, quantite, p u, prix unitaire, prix, descuento, dto, cantidad, precio, sconto, quantita, prezzo, korting, aantal, prijs,
  desconto, quantidade, preco, rabat, ilosc, cena, stammkapital, kaution, versandkosten, shipping, delivery, versand, frais de port, gastos de envio, spedizione, verzendkosten, mahngebuhr`);

/** Headings of a table that parts the total by tax rates. */
const TAX_SUMMARY =
  new Phrases(`gst summary, tax summary, vat summary, sst summary, gst analysis, tax analysis, vat analysis, gst breakdown, tax breakdown, vat breakdown, tax details, gst details,
  steuerubersicht, mwst ubersicht, ust ubersicht, steueraufstellung, detail tva, recapitulatif tva, resumen iva, desglose iva, desglose de impuestos, riepilogo iva, btw overzicht, btw specificatie, resumo iva, resumo de impostos, zestawienie vat, podsumowanie vat`);

/** Whether the words of a row are the heading of a table of taxes: what is called a total below it is one of taxes or of net amounts. */
export const isTaxSummary = (words: readonly string[]): boolean => TAX_SUMMARY.isIn(words);

/** What an amount is by the words before it; undefined where they say nothing. Tender, change and the like win over "total". */
export const amountRoleOf = (words: readonly string[]): AmountRole | undefined => {
  if (CHANGE.isIn(words)) return 'change';
  const isTotal = TOTAL.isIn(words);
  if (FINAL.isIn(words)) return EXCLUSIVE.isIn(words) && !isTotal && !NET_TOTAL.isIn(words) ? 'net' : 'final';
  if (ROUNDING.isIn(words)) return isTotal ? 'final' : 'rounding';
  if (TAX_WITHIN.isIn(words)) return 'tax';
  if (TENDER.isIn(words)) return 'tender';
  if (OTHER.isIn(words)) return 'other';
  if (SUBTOTAL.isIn(words)) return 'subtotal';
  if (NET_TOTAL.isIn(words)) return 'net_total';
  const isTax = TAX.isIn(words);
  if (INCLUSIVE.isIn(words)) return isTotal || AMOUNT.isIn(words) ? 'inclusive' : isTax ? 'tax' : 'total';
  if (isTax && ADDED.lengthAt(words, 0) > 0) return 'tax';
  if (EXCLUSIVE.isIn(words) || ADDED.isIn(words)) return 'net';
  if (isTax) return 'tax';
  return isTotal ? 'total' : undefined;
};

export interface ScoredAmount {
  readonly amount: PlacedAmount;
  /** 0 to 1: how likely it is the total to pay. */
  readonly score: number;
  readonly rule: string;
}

const WORTH: Readonly<Record<AmountRole | 'none', number>> = {
  final: 0.88,
  inclusive: 0.84,
  total: 0.78,
  net_total: 0.76,
  subtotal: 0.36,
  net: 0.3,
  tender: 0.32,
  rounding: 0.1,
  none: 0.12,
  other: 0.1,
  tax: 0.05,
  change: 0.02,
};
const GAIN = { paid: 0.08, taxed: 0.08, lines: 0.06, rounded: 0.15, repeated: 0.02, low: 0.03, large: 0.03 };
const LOSS = { row: 0.3, negative: 0.3, changed: 0.2 };
/** Cash is rounded to five or ten hundredths. */
const MAX_ROUNDING = 9;
/** A sum of rounded taxes may be off by this. */
const SLACK = 2;
const MAX_REPEATS = 3;
/** Cash less change is the total, whatever OCR left of its label. */
const WORTH_IF_PAID = 0.6;

/** Every amount with how likely it is the total, by its label, its place and the sums that it is part of; the likeliest first. */
export const scoreTotals = (amounts: readonly PlacedAmount[]): ScoredAmount[] => {
  const evidence = gather(amounts);
  const lastRow = amounts.at(-1)?.row ?? 1;
  return amounts
    .map((amount) => scoreOf(amount, evidence, amount.row / lastRow))
    .toSorted((one, other) => other.score - one.score || other.amount.row - one.amount.row);
};

interface Evidence {
  /** Cash less change. */
  readonly paid: ReadonlySet<number>;
  /** Net and tax together. */
  readonly taxed: ReadonlySet<number>;
  /** Whether change was given: what was handed over is not the total then. */
  readonly isChanged: boolean;
  readonly lines: ReadonlySet<number>;
  /** Totals after rounding. */
  readonly rounded: ReadonlySet<number>;
  readonly counts: ReadonlyMap<number, number>;
  readonly largest: number;
}

const gather = (amounts: readonly PlacedAmount[]): Evidence => {
  const having = (...roles: (AmountRole | undefined)[]) => [
    ...new Set(amounts.filter(({ role, column }) => roles.includes(role) && column === 0).map(({ cents }) => cents)),
  ];
  const totals = having('final', 'inclusive', 'total', 'net_total');
  const counts = new Map<number, number>();
  for (const { cents } of amounts) counts.set(cents, (counts.get(cents) ?? 0) + 1);
  return {
    paid: combine(having('tender'), having('change'), (cash, change) => cash - Math.abs(change)),
    taxed: combine(having('net', 'subtotal'), having('tax'), (net, tax) => net + tax),
    isChanged: having('change').some((change) => change !== 0),
    lines: sumsOfLines(amounts),
    rounded: roundings(totals, having('rounding')),
    counts,
    largest: Math.max(0, ...totals),
  };
};

/** Enough for any document that is no list of accounts. */
const MAX_COMBINED = 12;

const combine = (ones: readonly number[], others: readonly number[], sum: (one: number, other: number) => number): Set<number> =>
  new Set(ones.slice(0, MAX_COMBINED).flatMap((one) => others.slice(0, MAX_COMBINED).map((other) => sum(one, other))));

/**
 * What totals are rounded to: a later total nearby that can be paid in coins. "Rounding" names the difference on
 * some receipts and what comes of it on others.
 */
const roundings = (totals: readonly number[], named: readonly number[]): Set<number> => {
  const rounded = new Set<number>();
  const later = [...totals, ...named.filter((value) => value > MAX_ROUNDING)].slice(0, 2 * MAX_COMBINED);
  later.forEach((total, at) => {
    const after = later.slice(at + 1).find((other) => other !== total && Math.abs(other - total) <= MAX_ROUNDING && isInCoins(other));
    if (after !== undefined && !isInCoins(total)) rounded.add(after);
  });
  return rounded;
};

/** The least coin that is in use nearly everywhere without those of one and two. */
const LEAST_COIN = 5;

const isInCoins = (cents: number): boolean => cents % LEAST_COIN === 0;

const MAX_LINES = 60;

/** The sums of the last amounts of two or more rows one after the other that have no label. */
const sumsOfLines = (amounts: readonly PlacedAmount[]): Set<number> => {
  const sums = new Set<number>();
  const items = amounts
    .filter(({ role, column, columns }) => (role === undefined || role === 'other') && column === columns - 1)
    .slice(0, MAX_LINES);
  items.forEach((_, first) => {
    let sum = 0;
    items.slice(first).forEach(({ cents }, more) => {
      sum += cents;
      if (more > 0) sums.add(sum);
    });
  });
  return sums;
};

const isNear = (sums: ReadonlySet<number>, value: number): boolean => {
  for (let off = -SLACK; off <= SLACK; off += 1) if (sums.has(value + off)) return true;
  return false;
};

const TOTAL_ROLES = new Set<AmountRole | undefined>(['final', 'inclusive', 'total', 'net_total']);

const scoreOf = (amount: PlacedAmount, evidence: Evidence, depth: number): ScoredAmount => {
  const { cents, role, column, columns, isOfTaxes } = amount;
  const isTotal = TOTAL_ROLES.has(role);
  const bySum = cents > 0 && evidence.lines.has(cents) && role !== 'other';
  let score = WORTH[role ?? 'none'] + GAIN.low * depth;
  if (cents <= 0) score -= LOSS.negative;
  if (role === 'tender' && evidence.isChanged) score -= LOSS.changed;
  if (evidence.paid.has(cents) && role !== 'change') score = Math.max(score + GAIN.paid, role === 'tender' ? 0 : WORTH_IF_PAID);
  if (isNear(evidence.taxed, cents) && isTotal) score += GAIN.taxed;
  if (bySum) score += GAIN.lines;
  score += GAIN.repeated * Math.min(MAX_REPEATS, (evidence.counts.get(cents) ?? 1) - 1);
  if (isTotal && cents === evidence.largest) score += GAIN.large;
  // the last row of a table of taxes: net and tax, and the total as the third
  if (isTotal && (isOfTaxes || (columns > 1 && !(column === columns - 1 && columns > 2)))) score -= LOSS.row;
  if (evidence.rounded.has(cents)) score += role === 'rounding' ? WORTH.final : GAIN.rounded;
  return { amount, score, rule: isTotal || role === 'rounding' ? 'total.keyword' : bySum ? 'total.lines' : `total.${role ?? 'amount'}` };
};

/** An amount, where it stands and what the words around it make of it. */
export interface PlacedAmount extends AmountMention {
  readonly line: Line;
  /** Counted over the document. */
  readonly row: number;
  /** Its place among the amounts of its row, and how many there are. */
  readonly column: number;
  readonly columns: number;
  readonly role: AmountRole | undefined;
  /** Whether it stands in a table that parts the total by tax rates. */
  readonly isOfTaxes: boolean;
}

/** Such a table has no more rows than there are rates. */
const MAX_TAX_ROWS = 8;
const MAX_HEADING_WORDS = 8;

/** The first and the last ones count: totals stand at either end of a long document. */
const MAX_AMOUNTS = 400;
/** These part thousands with a space, so "2 100,00" is one number in them. */
const SPACED_GROUPS = new Set(['fr', 'pl', 'cs', 'sk', 'uk', 'sv', 'nb', 'no', 'fi', 'hu', 'lv', 'lt']);

/** The amounts of a document. */
export const placeAmounts = (pages: readonly (readonly Line[])[], languages: readonly string[]): PlacedAmount[] => {
  const groupsBySpace = SPACED_GROUPS.has(languages[0] ?? '');
  const placed: PlacedAmount[] = [];
  let row = 0;
  for (const lines of pages) {
    let lastTaxRow = 0;
    for (const line of lines) {
      row += 1;
      if (isTaxSummary(line.atoms.slice(0, MAX_HEADING_WORDS).map(({ folded }) => folded))) lastTaxRow = row + MAX_TAX_ROWS;
      placed.push(
        ...placeInRow(lines, line, row, scanAmounts(line.atoms, groupsBySpace)).map((amount) => ({
          ...amount,
          isOfTaxes: row <= lastTaxRow,
        })),
      );
    }
  }
  return placed.length <= MAX_AMOUNTS ? placed : [...placed.slice(0, MAX_AMOUNTS / 2), ...placed.slice(-MAX_AMOUNTS / 2)];
};

const CURRENCY_WORDS = new Set(['rm', 'eur', 'usd', 'gbp', 'chf', 'pln', 'myr', 'euro', 'zl', 'x', '#']);

const isLabelWord = (word: string): boolean => Number.isNaN(Number(word)) && word !== '%' && !CURRENCY_WORDS.has(word);

const placeInRow = (
  lines: readonly Line[],
  line: Line,
  row: number,
  amounts: readonly AmountMention[],
): Omit<PlacedAmount, 'isOfTaxes'>[] => {
  let from = 0;
  let label: AmountRole | undefined;
  return amounts.map((amount, column) => {
    const words = wordsBefore(line, from, amount.start);
    from = amount.end;
    // a second amount without words of its own belongs to the words of the first, as in the last row of a table
    if (words.some(isLabelWord)) label = amountRoleOf(words);
    else if (column === 0) label = roleFromAbove(lines, line, amount);
    return { ...amount, line, row, column, columns: amounts.length, role: label };
  });
};

const roleFromAbove = (lines: readonly Line[], line: Line, { start, end }: AmountMention): AmountRole | undefined => {
  const role = amountRoleOf(wordsAbove(lines, line, start, end));
  if (role !== undefined) return role;
  const above = lines[line.index - 1];
  const isAlone = line.atoms.length > 0 && start <= (line.atoms[0]?.end ?? 0) + 2;
  // a label of its own row
  return isAlone && above !== undefined && !above.atoms.some(({ kind }) => kind === 'digits')
    ? amountRoleOf(wordsOf(above.text).slice(0, 8))
    : undefined;
};
