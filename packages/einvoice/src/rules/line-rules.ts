import type { Line } from '../invoice.ts';
import { isDecimal, isGiven, isNegative, type Rule, rule } from './rule.ts';

/** A rule that each line of an invoice has to keep. Headings and remarks between them are no lines of EN 16931. */
const lineRule = (code: string, message: string, holds: (line: Line) => boolean): Rule =>
  rule(code, message, ({ lines }) => lines.every((line) => !line.isSummed || holds(line)));

export const LINE_RULES: readonly Rule[] = [
  rule('BR-16', 'An invoice has at least one line (BG-25).', ({ lines }) => lines.length > 0),
  lineRule('BR-21', 'A line has an identifier (BT-126).', ({ id }) => isGiven(id)),
  lineRule('BR-22', 'A line has an invoiced quantity (BT-129).', ({ quantity }) => isDecimal(quantity)),
  lineRule('BR-23', 'The quantity of a line has a unit of measure (BT-130).', ({ unit }) => isGiven(unit)),
  lineRule('BR-24', 'A line has a net amount (BT-131).', ({ netAmount }) => isDecimal(netAmount)),
  lineRule('BR-25', 'The item of a line has a name (BT-153).', ({ name }) => isGiven(name)),
  lineRule('BR-26', 'A line has an item net price (BT-146).', ({ netPrice }) => isDecimal(netPrice)),
  lineRule('BR-27', 'An item net price (BT-146) is not negative.', ({ netPrice }) => !isNegative(netPrice)),
  lineRule('BR-28', 'An item gross price (BT-148) is not negative.', ({ grossPrice }) => !isNegative(grossPrice)),
  lineRule(
    'BR-30',
    'The invoicing period of a line (BG-26) does not end before it starts.',
    ({ period }) => period?.start === undefined || period.end === undefined || period.start <= period.end,
  ),
  lineRule('BR-54', 'An item attribute (BG-32) has a name (BT-160) and a value (BT-161).', ({ itemAttributes }) =>
    itemAttributes.every(({ name, value }) => isGiven(name) && isGiven(value)),
  ),
  lineRule(
    'BR-64',
    'An item standard identifier (BT-157) has a scheme identifier.',
    ({ standardItemId }) => standardItemId === undefined || isGiven(standardItemId.scheme),
  ),
  lineRule('BR-65', 'An item classification identifier (BT-158) has a scheme identifier.', ({ classifications }) =>
    classifications.every(({ scheme }) => isGiven(scheme)),
  ),
  lineRule('BR-CO-04', 'A line has a VAT category code (BT-151).', ({ tax }) => isGiven(tax.category)),
  lineRule(
    'BR-CO-20',
    'The invoicing period of a line (BG-26) has a start date (BT-134), an end date (BT-135) or both.',
    ({ period }) => period === undefined || isGiven(period.start) || isGiven(period.end),
  ),
];
