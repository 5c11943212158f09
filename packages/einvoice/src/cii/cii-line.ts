import type { EinvoiceDocument, Line, Period } from '../invoice.ts';
import { ciiDay } from '../values/day.ts';
import { all, at, attributeOf, textAt, type XmlNode } from '../xml/xml-node.ts';
import { ciiAdjustments, ciiCategory } from './cii-amounts.ts';
import { ciiIdentifier } from './cii-party.ts';

/** Of the EXTENDED profile: lines that only group or explain others. */
const NOT_SUMMED = ['GROUP', 'INFORMATION'];

/** A ram:IncludedSupplyChainTradeLineItem (BG-25). In ZUGFeRD 1.0 one without a product is a remark between lines. */
export const ciiLine = (node: XmlNode, document: EinvoiceDocument): Line => {
  const about = at(node, 'AssociatedDocumentLineDocument');
  const product = at(node, 'SpecifiedTradeProduct');
  const agreement = at(node, 'SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement');
  const settlement = at(node, 'SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement');
  const quantity = at(node, 'SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery', 'BilledQuantity');
  const totals = at(settlement, 'SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation');
  const isRemark = document === 'ZUGFeRD 1' && product === undefined;
  return {
    id: textAt(about, 'LineID'),
    note: textAt(about, 'IncludedNote', 'Content'),
    name: textAt(product, 'Name'),
    description: textAt(product, 'Description'),
    sellerItemId: textAt(product, 'SellerAssignedID'),
    standardItemId: ciiIdentifier(at(product, 'GlobalID')),
    classifications: all(product, 'DesignatedProductClassification')
      .map((one) => ciiIdentifier(at(one, 'ClassCode')))
      .filter((one) => one !== undefined),
    itemAttributes: all(product, 'ApplicableProductCharacteristic').map((one) => ({
      name: textAt(one, 'Description'),
      value: textAt(one, 'Value|ValueMeasure'),
    })),
    quantity: textAt(quantity),
    unit: attributeOf(quantity, 'unitCode'),
    netPrice: textAt(agreement, 'NetPriceProductTradePrice', 'ChargeAmount'),
    grossPrice: textAt(agreement, 'GrossPriceProductTradePrice', 'ChargeAmount'),
    netAmount: textAt(totals, 'LineTotalAmount'),
    tax: ciiCategory(at(settlement, 'ApplicableTradeTax')),
    period: ciiPeriod(at(settlement, 'BillingSpecifiedPeriod')),
    adjustments: ciiAdjustments(settlement),
    isSummed: !isRemark && !NOT_SUMMED.includes(textAt(about, 'LineStatusReasonCode') ?? ''),
  };
};

/** A ram:BillingSpecifiedPeriod (BG-14, BG-26). */
export const ciiPeriod = (node: XmlNode | undefined): Period | undefined =>
  node && { start: dayAt(node, 'StartDateTime'), end: dayAt(node, 'EndDateTime') };

/** A date is an element in an element: udt:DateTimeString, qdt:DateTimeString, udt:DateTime or udt:DateString. */
export const dayAt = (node: XmlNode | undefined, ...path: readonly string[]): string | undefined =>
  ciiDay(textAt(node, ...path, 'DateTimeString|DateTime|DateString|Date'));
