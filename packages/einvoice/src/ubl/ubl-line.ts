import type { Line } from '../invoice.ts';
import { isoDay } from '../values/day.ts';
import { all, at, attributeOf, textAt, type XmlNode } from '../xml/xml-node.ts';
import { ublAdjustments, ublCategory } from './ubl-amounts.ts';
import { ublIdentifier } from './ubl-party.ts';

/** A cac:InvoiceLine or cac:CreditNoteLine (BG-25). */
export const ublLine = (node: XmlNode): Line => {
  const item = at(node, 'Item');
  const price = at(node, 'Price');
  const quantity = at(node, 'InvoicedQuantity|CreditedQuantity');
  const period = at(node, 'InvoicePeriod');
  return {
    id: textAt(node, 'ID'),
    note: textAt(node, 'Note'),
    name: textAt(item, 'Name'),
    description: textAt(item, 'Description'),
    sellerItemId: textAt(item, 'SellersItemIdentification', 'ID'),
    standardItemId: ublIdentifier(at(item, 'StandardItemIdentification', 'ID')),
    classifications: all(item, 'CommodityClassification')
      .map((one) => ublIdentifier(at(one, 'ItemClassificationCode')))
      .filter((one) => one !== undefined),
    itemAttributes: all(item, 'AdditionalItemProperty').map((one) => ({ name: textAt(one, 'Name'), value: textAt(one, 'Value') })),
    quantity: textAt(quantity),
    unit: attributeOf(quantity, 'unitCode'),
    netPrice: textAt(price, 'PriceAmount'),
    grossPrice: textAt(price, 'AllowanceCharge', 'BaseAmount'),
    netAmount: textAt(node, 'LineExtensionAmount'),
    tax: ublCategory(at(item, 'ClassifiedTaxCategory')),
    period: period && { start: isoDay(textAt(period, 'StartDate')), end: isoDay(textAt(period, 'EndDate')) },
    adjustments: ublAdjustments(node),
    isSummed: true,
  };
};
