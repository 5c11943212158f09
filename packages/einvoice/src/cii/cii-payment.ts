import type { PaymentMeans } from '../invoice.ts';
import { makeAccount } from '../values/account.ts';
import { all, textAt, type XmlNode } from '../xml/xml-node.ts';

/** BG-16. The payment reference (BT-83) and the mandate (BT-89) are there once for all of them. */
export const ciiPaymentMeans = (settlement: XmlNode | undefined): PaymentMeans[] =>
  all(settlement, 'SpecifiedTradeSettlementPaymentMeans').map((means) => ({
    code: textAt(means, 'TypeCode'),
    text: textAt(means, 'Information'),
    reference: textAt(settlement, 'PaymentReference'),
    accounts: all(means, 'PayeePartyCreditorFinancialAccount').map((account) => {
      const iban = textAt(account, 'IBANID');
      const bic = textAt(means, 'PayeeSpecifiedCreditorFinancialInstitution', 'BICID');
      return makeAccount(iban ?? textAt(account, 'ProprietaryID'), textAt(account, 'AccountName'), bic, iban !== undefined);
    }),
    cardNumber: textAt(means, 'ApplicableTradeSettlementFinancialCard', 'ID'),
    mandate: textAt(settlement, 'SpecifiedTradePaymentTerms', 'DirectDebitMandateID'),
    debitedAccount: textAt(means, 'PayerPartyDebtorFinancialAccount', 'IBANID'),
  }));
