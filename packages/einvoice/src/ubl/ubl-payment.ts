import type { PaymentMeans } from '../invoice.ts';
import { makeAccount } from '../values/account.ts';
import { all, at, attributeOf, textAt, type XmlNode } from '../xml/xml-node.ts';

/** BG-16. */
export const ublPaymentMeans = (root: XmlNode): PaymentMeans[] =>
  all(root, 'PaymentMeans').map((means) => ({
    code: textAt(means, 'PaymentMeansCode'),
    text: attributeOf(at(means, 'PaymentMeansCode'), 'name'),
    reference: textAt(means, 'PaymentID'),
    accounts: all(means, 'PayeeFinancialAccount').map((account) =>
      makeAccount(
        textAt(account, 'ID'),
        textAt(account, 'Name'),
        textAt(account, 'FinancialInstitutionBranch', 'ID') ?? textAt(account, 'FinancialInstitutionBranch', 'FinancialInstitution', 'ID'),
      ),
    ),
    cardNumber: textAt(means, 'CardAccount', 'PrimaryAccountNumberID'),
    mandate: textAt(means, 'PaymentMandate', 'ID'),
    debitedAccount: textAt(means, 'PaymentMandate', 'PayerFinancialAccount', 'ID'),
  }));
