import sharp from 'sharp';

/** Numbers that are the same in every run: a generator of Lehmer. */
const numbers = (seed: number): ((below: number) => number) => {
  let state = (seed * 7_919 + 104_729) % 2_147_483_647;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

type Draw = ReturnType<typeof numbers>;

const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;
const digits = (draw: Draw, count: number): string => Array.from({ length: count }, () => draw(10)).join('');
const money = (draw: Draw, below = 900): string => `${10 + draw(below)}.${digits(draw, 2)}`;
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const date = (draw: Draw): string => `${1 + draw(28)} ${pick(draw, MONTHS)} 20${10 + draw(15)}`;
const ITEMS = [
  'Printer paper A4',
  'Desk lamp black',
  'Toner cartridge',
  'Office chair',
  'Cable 2 m',
  'Coffee beans 1 kg',
  'Label rolls',
  'Monitor stand',
];
const NAMES = ['Anna Berger', 'Thomas Klein', 'Maria Novak', 'Peter Vogel', 'Julia Stern', 'Oliver Brandt', 'Laura Wagner', 'Simon Keller'];
const STREETS = ['Station Road', 'Mill Lane', 'Church Street', 'Park Avenue', 'Garden Row', 'Harbour Street'];
const SENDERS = [
  'Northwind Trading',
  'Alder Office Supply',
  'Greenfield Energy',
  'Bluewater Telecom',
  'Harbour Insurance',
  'Summit Dental Care',
];

const address = (draw: Draw): string[] => [pick(draw, NAMES), `${1 + draw(99)} ${pick(draw, STREETS)}`, `${digits(draw, 5)} Springfield`];

/** What all papers of a sender have in common. */
const head = (sender: number): string[] => {
  const draw = numbers(sender + 500);
  return [
    `${SENDERS[sender % SENDERS.length]} Ltd`,
    `${1 + draw(99)} ${pick(draw, STREETS)}, ${digits(draw, 5)} Riverton`,
    `Phone 0${digits(draw, 3)} ${digits(draw, 6)}  VAT GB${digits(draw, 9)}`,
  ];
};

const invoice = (sender: number, draw: Draw): string[] => [
  ...head(sender),
  '',
  ...address(draw),
  '',
  `Invoice number ${digits(draw, 6)}      Date ${date(draw)}`,
  `Customer number ${digits(draw, 5)}     Your order ${digits(draw, 7)}`,
  'We thank you for your order and invoice the following goods as agreed.',
  ...Array.from({ length: 3 + draw(4) }, () => `${1 + draw(9)} x ${pick(draw, ITEMS)}   ${money(draw)}   ${money(draw)}`),
  `Net amount ${money(draw)}`,
  `VAT 20 % ${money(draw, 100)}`,
  `Total due EUR ${money(draw)}`,
  'Please pay within 14 days to the account below without any deduction.',
  'The goods remain our property until they have been paid in full.',
  'IBAN GB29 NWBK 6016 1331 9268 19  BIC NWBKGB2L',
];

/** The same amount each month: only number, date and period differ. */
const subscription = (sender: number, draw: Draw): string[] => [
  ...head(sender),
  '',
  ...address(numbers(sender + 900)),
  '',
  `Invoice ${digits(draw, 8)}`,
  `Invoice date ${date(draw)}`,
  `Billing period ${pick(draw, MONTHS)} 20${10 + draw(15)}`,
  'Your contract 4471102 with a fixed monthly charge',
  'Internet access 250 Mbit/s   29.90',
  'Telephone flat rate   9.95',
  'Discount for regular customers   -5.00',
  'Net amount 29.29   VAT 19 % 5.56   Total 34.85 EUR',
  'The amount will be debited from your account within ten days.',
  'You can find an itemised bill in our customer portal at any time.',
];

/** One text to many people. */
const letter = (sender: number, draw: Draw): string[] => [
  ...head(sender),
  '',
  ...address(draw),
  '',
  `Policy number ${digits(draw, 4)}-${digits(draw, 5)}     ${date(draw)}`,
  'Dear customer,',
  'we regularly review the conditions of our contracts so that they match',
  'the development of costs. From the beginning of next year the following',
  'changes apply to your household insurance. The insured sum is adjusted to',
  'the current value of your household and the excess remains unchanged.',
  `Insured sum ${digits(draw, 2)},000 EUR    Yearly premium ${money(draw)} EUR`,
  'You do not need to do anything if you agree with these changes. If you',
  'do not agree, you may terminate the contract in writing within four weeks',
  'after you have received this letter. Please keep it with your documents.',
  'Should you have any questions, our staff will be pleased to help you by',
  'telephone on weekdays between eight in the morning and six at night.',
  'Yours sincerely',
];

/** A form that is filled in with few words. */
const certificate = (sender: number, draw: Draw): string[] => [
  ...head(sender),
  '',
  'Certificate of attendance and record of treatment',
  `Name of patient ${pick(draw, NAMES)}      Date of birth ${date(draw)}`,
  `Date of visit ${date(draw)}     Record number ${digits(draw, 7)}`,
  'The patient named above was present in our practice on the day stated.',
  `Code ${digits(draw, 4)}   Factor 2.3   Amount ${money(draw)}`,
  `Code ${digits(draw, 4)}   Factor 1.8   Amount ${money(draw)}`,
  `Sum of all services ${money(draw)} EUR`,
  'Please hand this certificate to your employer or your insurance company.',
  'It is valid without a signature because it was made electronically.',
];

const FORMS = [invoice, subscription, letter, certificate];

export interface FormPage {
  readonly name: string;
  /** Pages with the same form differ in what is filled in alone. */
  readonly form: string;
  readonly lines: readonly string[];
}

/** Forms of several senders, each filled in several times. */
export const formPages = (perForm: number): FormPage[] =>
  FORMS.flatMap((form, kind) =>
    SENDERS.map((_, sender) => sender).flatMap((sender) =>
      Array.from({ length: perForm }, (_, filled) => ({
        name: `${form.name}-${sender}-${filled}`,
        form: `${form.name}-${sender}`,
        lines: form(sender, numbers(10_000 + kind * 1_000 + sender * 100 + filled)),
      })),
    ),
  );

const escaped = (line: string): string => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A page of A4 at 150 dots per inch. */
export const drawPage = (lines: readonly string[]): Promise<Buffer> => {
  const texts = lines.map((line, at) => `<text x="110" y="${140 + at * 44}" xml:space="preserve">${escaped(line)}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="1754"><rect width="100%" height="100%" fill="white"/><g font-family="Liberation Serif" font-size="27">${texts}</g></svg>`;
  return sharp(Buffer.from(svg)).greyscale().png().toBuffer();
};
