import { Phrases } from '../text/phrases.ts';

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
