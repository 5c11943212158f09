import { Phrases } from '../text/phrases.ts';

/** Of companies, associations and the like. */
export const LEGAL_FORMS =
  new Phrases(`gmbh, ag, kg, ohg, ug, gbr, e v, ev, se, kgaa, mbh, eg, ltd, limited, inc, llc, llp, plc, corp, corporation, co, company, sdn bhd, sdn, bhd, s b, sb, plt, pte, pty, pvt, sa, s a, sas, s a s, sarl, s a r l, eurl, sci,
  sl, s l, slu, s l u, sociedad, spa, s p a, srl, s r l, snc, sas di, bv, b v, nv, n v, vof, stichting, lda, ltda, unipessoal, sp z o o, sp zo o, spolka, s c, sp j, s k a, s r o, a s, oy, ab, aps, enterprise, enterprises, holding, group, sbn bhd`);
/** Words that names of businesses end with. */
export const BUSINESSES =
  new Phrases(`trading, restaurant, restoran, ristorante, restaurante, hotel, pharmacy, apotheke, farmasi, pharmacie, farmacia, apteka, bakery, backerei, hardware, stationery, bookstore, bookstores, market, supermarket, mart, supermarkt, supermercado,
  services, service station, store, stores, shop, cafe, kedai, perniagaan, syarikat, bank, sparkasse, versicherung, insurance, assurance, seguros, verlag, stadtwerke, stadt, gemeinde, finanzamt, praxis, clinic, klinik, clinica, florist, electrical, industries, solutions, supplies, confectionery, kitchen, seafood, bookcentre, foundation, university, universitat, telecom, communications`);
/** A row with one of them holds something else. */
export const NOT_NAMES =
  new Phrases(`invoice, invoices, bill, bills, receipts, tax invoice, receipt, rechnung, quittung, facture, factura, fattura, factuur, fatura, faktura, rachunek, paragon, page, seite, date, datum, tel, fax, phone, telephone, gst, gst id, vat, tax, company no, co reg, co no, reg no, order number, table, cashier, bill to, ship to, tax id, email, e mail, www, http, https, thank you, welcome,
  posted, sold by, seller, verkaufer, vendeur, vendedor, venditore, verkoper, sprzedawca, customer, kunde, client, total, guest check, goods sold, not returnable, account s copy, copy, kopie, original, duplicate, ref no, subject, betreff, objet, dear, sehr geehrte, simplified, your order, tq for shopping, for shopping, please, pay, qty, price, amount, item, description, iban, bic, careline`);
/** A row with one of them is rather an address. */
export const ADDRESS = new Phrases(
  `jalan, jln, lot, taman, tmn, floor, flr, street, st, road, rd, avenue, ave, lane, strasse, str, weg, platz, postfach, rue, boulevard, bd, calle, avenida, plaza, via, viale, piazza, straat, laan, rua, praca, ulica, ul, al, suite, unit, no, block, blok, level, batu, kampung, bandar, selangor, kuala lumpur, kawasan, seksyen, section, branch, po box, p o box, site, bangunan, menara`,
);
/** What follows is the receiver. */
export const RECEIVER = new Phrases(
  `bill to, billed to, ship to, sold to, deliver to, invoice to, rechnung an, empfanger, facture a, adresse de facturation, cliente, factuuradres, afleveradres, lieferadresse, rechnungsadresse, delivery address, billing address, shipping address, nabywca, destinatario, spett le`,
);
