import { Phrases } from '../text/phrases.ts';

/** What stands before a date says what it is the date of. */
export type DateRole = 'document' | 'date' | 'due' | 'service' | 'birth' | 'other';

/** Most telling first; English, German, French, Spanish, Italian, Dutch, Portuguese, Polish. */
const WORDS: readonly (readonly [DateRole, Phrases])[] = [
  [
    'birth',
    new Phrases(`birth, born, date of birth, birth date, dob, d o b, birthday, geboren, geb, geburtsdatum, geburtstag, geb datum, ne le, nee le,
      date de naissance, naissance, nacimiento, fecha de nacimiento, nacido, nacida, nascita, data di nascita, nato il, nata il, nato, nata,
      geboortedatum, geboren op, nascimento, data de nascimento, nascido, nascida, urodzenia, data urodzenia, urodzony, urodzona, ur`),
  ],
  [
    'due',
    new Phrases(`due, due date, duedate, date due, payment due, due by, pay by, payable by, payment date, please pay by, expires, expiry, expiry date, valid until, best before,
      fallig, fallig am, falligkeit, falligkeitsdatum, zahlbar bis, zahlbar bis zum, zahlungsziel, zu zahlen bis, bis zum, gultig bis, zahlung bis, spatestens,
      echeance, date d echeance, date limite, date limite de paiement, a regler avant le, a payer avant le, payable avant le,
      vencimiento, fecha de vencimiento, fecha limite, pagar antes del, scadenza, data scadenza, data di scadenza, entro il, da pagare entro,
      vervaldatum, vervaldag, uiterste betaaldatum, te betalen voor, betalen voor, betaaldatum, voor uiterlijk,
      vencimento, data de vencimento, data limite, pagar ate, termin platnosci, termin zaplaty, platne do, zaplata do, data platnosci`),
  ],
  [
    'service',
    new Phrases(`service date, date of service, date of supply, supply date, tax point, delivery date, date of delivery, delivered, delivered on, performance date, service period,
      billing period, period,
      leistungsdatum, leistungszeitraum, lieferdatum, liefertermin, leistung vom, lieferung vom, zeitraum, abrechnungszeitraum, leistungszeit, geliefert am,
      date de livraison, date de prestation, livraison, periode, date de la prestation, livre le,
      fecha de entrega, fecha de servicio, fecha de prestacion, fecha de operacion, entrega, periodo, periodo de facturacion,
      data di consegna, data consegna, consegna, data prestazione, periodo di riferimento, leverdatum, leveringsdatum, geleverd op, leverperiode, periode van,
      data de entrega, data do servico, data da prestacao, periodo de faturacao, data dostawy, data sprzedazy, data wykonania uslugi, data wykonania, okres`),
  ],
  [
    'document',
    new Phrases(`invoice date, invoicedate, date of invoice, bill date, billing date, date of issue, issue date, issued, issued on, issued at, date issued, document date, receipt date,
      statement date, letter date, dated, tax invoice date, doc date, inv date, invoice on,
      rechnungsdatum, rechnungs datum, datum der rechnung, ausstellungsdatum, belegdatum, bescheiddatum, briefdatum, rechnung vom, bescheid vom, ausgestellt am, re datum, druckdatum,
      date de facture, date facture, date de la facture, date de facturation, date d emission, emise le, facture du, fait le, etabli le, date du document,
      fecha de factura, fecha factura, fecha de emision, fecha de expedicion, fecha emision, fecha del documento, emitida el,
      data fattura, data della fattura, data emissione, data di emissione, data documento, del documento, emessa il,
      factuurdatum, factuur datum, datum factuur, factuurdatum datum, datum van factuur, datum nota, briefdatum, documentdatum,
      data da fatura, data da factura, data fatura, data de emissao, data emissao, emitida em, data do documento,
      data wystawienia, data faktury, wystawiono, wystawiono dnia, data wystawienia faktury, data dokumentu, wystawiona dnia`),
  ],
  [
    'other',
    new Phrases(`order date, print date, printed, printed on, date of order, ordered, your order of, registered, since, founded, member since, act, law, version, revision, previous,
      closed, until, last updated, subscription, statement period, copyright, entry date, date of joining,
      bestelldatum, auftragsdatum, bestellung vom, auftrag vom, gesetz vom, fassung vom, stand, seit, ihr schreiben vom, ihre nachricht vom, ihr auftrag vom, vertragsbeginn, eintrittsdatum, vorauszahlung vom,
      date de commande, commande du, depuis, depuis le, votre courrier du, a compter du, loi du, fecha de pedido, pedido de, ley de, data ordine, ordine del, legge del,
      orderdatum, besteldatum, bestelling van, sinds, uw brief van, data da encomenda, data do pedido, lei de, data zamowienia, zamowienie z, ustawa z dnia`),
  ],
  ['date', new Phrases(`date, dt, datum, fecha, data, dnia, dato, date time, date and time`)],
];

const DOCUMENT = new Phrases(
  `invoice, receipt, letter, rechnung, bescheid, mahnung, gutschrift, facture, avoir, factura, fattura, factuur, fatura, faktura`,
);
const OF = new Set(['of', 'vom', 'du', 'del', 'della', 'van', 'de', 'da', 'z', 'dnia']);

/** "Facture n° 123 du" */
const isOfDocument = (words: readonly string[]): boolean => OF.has(words.at(-1) ?? '') && DOCUMENT.isIn(words);

/** The role that the nearest of the words gives; of two that end together the longer decides. */
export const roleOf = (words: readonly string[]): DateRole | undefined => {
  let best: { role: DateRole; end: number } | undefined;
  for (const [role, phrases] of WORDS) {
    const end = phrases.endIn(words);
    if (end > 0 && (best === undefined || end > best.end)) best = { role, end };
  }
  if (best !== undefined) return best.role;
  if (isOfDocument(words)) return 'document';
  return words.some((word) => word.endsWith('datum')) ? 'date' : undefined;
};

const DATE_LABEL = new Phrases(`date, dt, datum, fecha, data, dated, dato, rechnungsdatum, factuurdatum, belegdatum, vom, dnia`);

/** Whether digits after these words are surely a date, even without separators. */
export const isDateLabel = (words: readonly string[]): boolean => DATE_LABEL.endIn(words) === words.length && words.length > 0;
