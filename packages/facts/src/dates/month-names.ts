import { fold } from '../text/fold.ts';

/** Twelve groups, January first; names and abbreviations as people write them, in the cases of the language that dates take. */
const NAMES: Readonly<Record<string, string>> = {
  en: 'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec',
  de: 'januar jan jänner jän|februar feb feber|märz mär mrz|april apr|mai|juni jun|juli jul|august aug|september sept sep|oktober okt|november nov|dezember dez',
  fr: 'janvier janv jan|février févr fév|mars|avril avr|mai|juin|juillet juil|août aou|septembre sept|octobre oct|novembre nov|décembre déc',
  es: 'enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre setiembre sep set sept|octubre oct|noviembre nov|diciembre dic',
  it: 'gennaio gen|febbraio feb febbr|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set sett|ottobre ott|novembre nov|dicembre dic',
  nl: 'januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep sept|oktober okt|november nov|december dec',
  pt: 'janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez',
  pl: 'stycznia styczeń sty|lutego luty lut|marca marzec mar|kwietnia kwiecień kwi|maja maj|czerwca czerwiec cze|lipca lipiec lip|sierpnia sierpień sie|września wrzesień wrz|października październik paź|listopada listopad lis|grudnia grudzień gru',
  cs: 'ledna leden led|února únor úno|března březen bře|dubna duben dub|května květen kvě|června červen čer|července červenec čvc|srpna srpen srp|září zář|října říjen říj|listopadu listopad lis|prosince prosinec pro',
  sk: 'januára január|februára február feb|marca marec|apríla apríl|mája máj|júna jún|júla júl|augusta august|septembra september|októbra október okt|novembra november|decembra december',
  hr: 'siječnja siječanj sij|veljače veljača velj|ožujka ožujak ožu|travnja travanj tra|svibnja svibanj svi|lipnja lipanj lip|srpnja srpanj srp|kolovoza kolovoz kol|rujna rujan ruj|listopada listopad lis|studenoga studenog studeni stu|prosinca prosinac pro',
  tr: 'ocak oca|şubat şub|mart|nisan nis|mayıs|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|kasım kas|aralık ara',
  lv: 'janvāris janvārī janvāra|februāris februārī februāra|marts martā marta|aprīlis aprīlī aprīļa|maijs maijā maija|jūnijs jūnijā jūnija|jūlijs jūlijā jūlija|augusts augustā augusta|septembris septembrī septembra|oktobris oktobrī oktobra|novembris novembrī novembra|decembris decembrī decembra',
  uk: 'січня січень|лютого лютий|березня березень|квітня квітень|травня травень|червня червень|липня липень|серпня серпень|вересня вересень|жовтня жовтень|листопада листопад|грудня грудень',
};

const monthsOf = (names: string): [string, number][] =>
  names.split('|').flatMap((group, at) => group.split(' ').map((name): [string, number] => [fold(name), at + 1]));

const BY_LANGUAGE = new Map(Object.entries(NAMES).map(([language, names]) => [language, new Map(monthsOf(names))]));

/** Of names that two languages give to different months, such as the Croatian listopad, the language listed first decides. */
const ANY_LANGUAGE = new Map(Object.values(NAMES).flatMap(monthsOf).toReversed());

/** 1 to 12 for a folded name of a month, in the first of `languages` (ISO 639-1) that has it, else in any; undefined for other words. */
export const monthOf = (name: string, languages: readonly string[]): number | undefined => {
  const month = ANY_LANGUAGE.get(name);
  if (month === undefined) return undefined;
  for (const language of languages) {
    const own = BY_LANGUAGE.get(language)?.get(name);
    if (own !== undefined) return own;
  }
  return month;
};
