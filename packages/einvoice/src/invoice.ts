export type Syntax = 'UBL' | 'CII';
export type EinvoiceDocument = 'Invoice' | 'CreditNote' | 'CrossIndustryInvoice' | 'ZUGFeRD 1';

/** A decimal number as it is written in the document, such as `-10.50`: never a floating point number. */
export type DecimalText = string;
/** `2026-03-14`. */
export type Day = string;

export interface Identifier {
  readonly id: string;
  readonly scheme: string | undefined;
}

/** BG-5, BG-8, BG-12, BG-15. */
export interface Address {
  readonly lines: readonly string[];
  readonly city: string | undefined;
  readonly postcode: string | undefined;
  readonly subdivision: string | undefined;
  /** ISO 3166-1 alpha-2 as written (BT-40, BT-55, BT-69, BT-80). */
  readonly country: string | undefined;
}

/** Seller (BG-4), buyer (BG-7), payee (BG-10) or tax representative of the seller (BG-11). */
export interface Party {
  /** The legal name (BT-27, BT-44), or the trading name where there is no other. */
  readonly name: string | undefined;
  /** Where it is another (BT-28, BT-45). */
  readonly tradingName: string | undefined;
  readonly identifiers: readonly Identifier[];
  readonly legalId: string | undefined;
  readonly vatId: string | undefined;
  readonly taxId: string | undefined;
  readonly electronicAddress: Identifier | undefined;
  readonly address: Address | undefined;
  readonly contact:
    | { readonly name: string | undefined; readonly phone: string | undefined; readonly email: string | undefined }
    | undefined;
}

export interface Seller extends Party {
  /** The first account to pay to that is an IBAN (BT-84), without spaces. Its check digits are not verified. */
  readonly iban: string | undefined;
}

/** BG-14, BG-26. */
export interface Period {
  readonly start: Day | undefined;
  readonly end: Day | undefined;
}

/** BG-17. */
export interface Account {
  /** As written, without spaces where it has the form of an IBAN. */
  readonly id: string | undefined;
  /** It has that form and stands where an IBAN belongs, not among accounts of another kind. */
  readonly isIban: boolean;
  readonly name: string | undefined;
  readonly bic: string | undefined;
}

/** BG-16. */
export interface PaymentMeans {
  /** UNTDID 4461 (BT-81). */
  readonly code: string | undefined;
  readonly text: string | undefined;
  readonly reference: string | undefined;
  readonly accounts: readonly Account[];
  readonly cardNumber: string | undefined;
  readonly mandate: string | undefined;
  /** The account of the buyer (BT-91). */
  readonly debitedAccount: string | undefined;
}

/** VAT category (UNTDID 5305) and rate in percent. */
export interface TaxCategory {
  readonly category: string | undefined;
  readonly rate: DecimalText | undefined;
}

/** An allowance (BG-20, BG-27) or a charge (BG-21, BG-28). */
export interface Adjustment {
  readonly isCharge: boolean;
  readonly amount: DecimalText | undefined;
  readonly base: DecimalText | undefined;
  readonly percent: DecimalText | undefined;
  readonly reason: string | undefined;
  readonly reasonCode: string | undefined;
  readonly tax: TaxCategory;
}

/** BG-25. */
export interface Line {
  readonly id: string | undefined;
  readonly note: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly sellerItemId: string | undefined;
  readonly standardItemId: Identifier | undefined;
  readonly classifications: readonly Identifier[];
  readonly itemAttributes: readonly { readonly name: string | undefined; readonly value: string | undefined }[];
  readonly quantity: DecimalText | undefined;
  readonly unit: string | undefined;
  readonly netPrice: DecimalText | undefined;
  readonly grossPrice: DecimalText | undefined;
  readonly netAmount: DecimalText | undefined;
  readonly tax: TaxCategory;
  readonly period: Period | undefined;
  readonly adjustments: readonly Adjustment[];
  /** False for headings and remarks of the EXTENDED profile (GROUP, INFORMATION), whose amounts are not summed up. */
  readonly isSummed: boolean;
}

/** BG-23. */
export interface TaxTotal extends TaxCategory {
  readonly taxable: DecimalText | undefined;
  readonly amount: DecimalText | undefined;
  readonly exemptionReason: string | undefined;
  readonly exemptionCode: string | undefined;
}

/** BG-22. */
export interface Totals {
  /** BT-106. */
  readonly lines: DecimalText | undefined;
  /** BT-107. */
  readonly allowances: DecimalText | undefined;
  /** BT-108. */
  readonly charges: DecimalText | undefined;
  /** Without VAT (BT-109). */
  readonly net: DecimalText | undefined;
  /** VAT (BT-110). */
  readonly tax: DecimalText | undefined;
  /** VAT in the accounting currency (BT-111). */
  readonly taxInTaxCurrency: DecimalText | undefined;
  /** With VAT (BT-112). */
  readonly grandTotal: DecimalText | undefined;
  /** BT-113. */
  readonly prepaid: DecimalText | undefined;
  /** BT-114. */
  readonly rounding: DecimalText | undefined;
  /** BT-115. */
  readonly payable: DecimalText | undefined;
}

/** BG-24. */
export interface Attachment {
  /** BT-122. */
  readonly reference: string | undefined;
  readonly description: string | undefined;
  /** An address elsewhere (BT-124). It is only shown. */
  readonly uri: string | undefined;
  /** The file name without folders; undefined where nothing is embedded. */
  readonly name: string | undefined;
  readonly mimeType: string | undefined;
  /** Bytes, decoded; 0 where nothing is embedded. */
  readonly size: number;
  /** Undefined where nothing is embedded, or where it is more than the limit. */
  readonly bytes: Uint8Array | undefined;
}

/** An e-invoice in the terms of EN 16931. What the document does not have is undefined. */
export interface Invoice {
  readonly syntax: Syntax;
  readonly document: EinvoiceDocument;
  /** Such as `EN16931`, `XRECHNUNG`, `PEPPOL-BIS-3`, `BASIC WL`; undefined where `profileId` is not known. */
  readonly profile: string | undefined;
  /** BT-24. */
  readonly profileId: string | undefined;
  /** BT-1. */
  readonly number: string | undefined;
  /** UNTDID 1001 (BT-3). */
  readonly typeCode: string | undefined;
  /** BT-2. */
  readonly issueDate: Day | undefined;
  /** BT-9. */
  readonly dueDate: Day | undefined;
  /** BT-72. */
  readonly deliveryDate: Day | undefined;
  /** ISO 4217 (BT-5). */
  readonly currency: string | undefined;
  /** BT-6. */
  readonly taxCurrency: string | undefined;
  /** BT-7. */
  readonly taxPointDate: Day | undefined;
  /** BT-8. */
  readonly taxPointCode: string | undefined;
  /** BT-10. */
  readonly buyerReference: string | undefined;
  /** BT-13. */
  readonly orderReference: string | undefined;
  /** BT-12. */
  readonly contractReference: string | undefined;
  /** BT-22. */
  readonly notes: readonly string[];
  /** BT-25 of each BG-3. */
  readonly precedingInvoices: readonly (string | undefined)[];
  readonly seller: Seller;
  readonly buyer: Party;
  readonly payee: Party | undefined;
  readonly taxRepresentative: Party | undefined;
  readonly deliveryAddress: Address | undefined;
  readonly period: Period | undefined;
  readonly paymentMeans: readonly PaymentMeans[];
  /** BT-20. */
  readonly paymentTerms: string | undefined;
  readonly adjustments: readonly Adjustment[];
  readonly lines: readonly Line[];
  readonly taxes: readonly TaxTotal[];
  readonly totals: Totals;
  readonly attachments: readonly Attachment[];
}
