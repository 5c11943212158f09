import type { Adjustment, Invoice } from '../invoice.ts';
import { isDecimal, isGiven, type Rule, rule } from './rule.ts';

type Level = 'document' | 'line';

const adjustmentsOf = ({ adjustments, lines }: Invoice, level: Level): readonly Adjustment[] =>
  level === 'document' ? adjustments : lines.flatMap((line) => line.adjustments);

const each = (code: string, message: string, level: Level, isCharge: boolean, holds: (adjustment: Adjustment) => boolean): Rule =>
  rule(code, message, (invoice) => adjustmentsOf(invoice, level).every((one) => one.isCharge !== isCharge || holds(one)));

const hasAmount = ({ amount }: Adjustment): boolean => isDecimal(amount);
const hasCategory = ({ tax }: Adjustment): boolean => isGiven(tax.category);
const hasReason = ({ reason, reasonCode }: Adjustment): boolean => isGiven(reason) || isGiven(reasonCode);

/** The standard asks for a reason twice, under two codes; both are reported. */
export const ADJUSTMENT_RULES: readonly Rule[] = [
  each('BR-31', 'A document level allowance has an amount (BT-92).', 'document', false, hasAmount),
  each('BR-32', 'A document level allowance has a VAT category code (BT-95).', 'document', false, hasCategory),
  each('BR-33', 'A document level allowance has a reason (BT-97) or a reason code (BT-98).', 'document', false, hasReason),
  each('BR-36', 'A document level charge has an amount (BT-99).', 'document', true, hasAmount),
  each('BR-37', 'A document level charge has a VAT category code (BT-102).', 'document', true, hasCategory),
  each('BR-38', 'A document level charge has a reason (BT-104) or a reason code (BT-105).', 'document', true, hasReason),
  each('BR-41', 'An allowance of a line has an amount (BT-136).', 'line', false, hasAmount),
  each('BR-42', 'An allowance of a line has a reason (BT-139) or a reason code (BT-140).', 'line', false, hasReason),
  each('BR-43', 'A charge of a line has an amount (BT-141).', 'line', true, hasAmount),
  each('BR-44', 'A charge of a line has a reason (BT-144) or a reason code (BT-145).', 'line', true, hasReason),
  each('BR-CO-21', 'A document level allowance has a reason (BT-97), a reason code (BT-98) or both.', 'document', false, hasReason),
  each('BR-CO-22', 'A document level charge has a reason (BT-104), a reason code (BT-105) or both.', 'document', true, hasReason),
  each('BR-CO-23', 'An allowance of a line has a reason (BT-139), a reason code (BT-140) or both.', 'line', false, hasReason),
  each('BR-CO-24', 'A charge of a line has a reason (BT-144), a reason code (BT-145) or both.', 'line', true, hasReason),
];
