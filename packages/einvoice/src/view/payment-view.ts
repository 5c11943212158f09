import type { Invoice, PaymentMeans } from '../invoice.ts';
import type { Html } from './html-template.ts';
import type { LabelKey, ViewLanguage } from './labels.ts';
import { listOf, section } from './view-parts.ts';

const rowsOf = (means: PaymentMeans): (readonly [LabelKey, string | undefined])[] => [
  ['paymentMeans', means.text ?? means.code],
  ['paymentReference', means.reference],
  ...means.accounts.flatMap(({ id, name, bic }) => [['account', id] as const, ['accountName', name] as const, ['bic', bic] as const]),
  ['card', means.cardNumber],
  ['mandate', means.mandate],
  ['debitedAccount', means.debitedAccount],
];

export const paymentView = ({ paymentMeans, paymentTerms }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'payment',
    language,
    ...paymentMeans.map((means) => listOf(rowsOf(means), language)),
    listOf([['paymentTerms', paymentTerms]], language),
  );
