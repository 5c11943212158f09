/**
 * Stop words as they are typed without their accents. The stop words of a configuration are known by the accents they are written
 * with, and have none left where those are taken off; a document that has für in it has no word for fur.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  sheaf_danish: `
    pa nar vaere ogsa vaeret sadan`,
  sheaf_finnish: `
    eivat mina sina han hanen hanet hanta hanessa hanesta haneen hanella hanelta hanelle meidan meidat meita meissa
    meista meilla meilta teidan teidat teita teissa teista teilla teilta heidan heidat heita heissa heista heilla
    heilta tama taman tata tassa tasta tahan talla talta talle tana taksi tuota sita siina siita silla silta nama
    naiden naita naissa naista naihin nailla nailta naille naina naiksi niita niissa niista niilla niilta niina keta
    kenessa kenesta kenella kenelta kenena ketka keita keissa keista keilla keilta keina mika minka mita missa mista
    milla milta mitka etta seka`,
  sheaf_french: `
    meme a ete etee etees etes etant etante etants etantes etais etait etions etiez etaient fumes futes eumes eutes`,
  sheaf_german: `
    dass fur konnen konnte uber wahrend wurde wurden`,
  sheaf_hungarian: `
    altal altalaban amig at arrol azert aztan azutan bar belul egesz egyeb eleg elo eloszor elott elso en eppen ezert
    es fele igy ismet jo jol keresztul keressunk kivul kozott kozul legalabb magat mar mas masik mig miert neha nehany
    nelkul ossze o ok oket ra sajat szamara talan tehat tovabb tovabba tobb ugy uj ujabb ujra utan utana utolso valo`,
  sheaf_italian: `
    perche piu avro avra saro sara faro fara staro stara`,
  sheaf_norwegian: `
    pa sa na sjol nar vaere a sann bade ogsa vaert bae hja`,
  sheaf_portuguese: `
    nao ja tambem so ate voce voces estao estavamos estiveramos estivessemos ha hao houveramos houvessemos houverao
    houveriamos sao eramos foramos fossemos sera serao seriamos tinhamos tiveramos tivessemos tera terao teriamos`,
  sheaf_spanish: `
    mas si tambien mio mia mios mias estais estan estes esteis esten estare estaras estara estareis estaran estaria
    estarias estariamos estariais estarian estabamos estuvieramos estuviesemos habeis hayais habre habras habra habreis
    habran habria habrias habriamos habriais habrian habia habias habiamos habiais habian hubieramos hubiesemos seais
    sere seras sera sereis seran seria serias seriamos seriais serian eramos fueramos fuesemos teneis tengais tendre
    tendras tendra tendreis tendran tendria tendrias tendriamos tendriais tendrian tenia tenias teniamos teniais tenian
    tuvieramos tuviesemos`,
  sheaf_swedish: `
    pa for sa ar da dar nagot fran nar over an nagon sjalv at nagra sadan sadant varfor sadana`,
  sheaf_turkish: `
    aslinda bazi birkac birsey cok cunku eger hic icin mi nasil nicin sey su tum`,
};

const PLAIN_STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(WRITTEN).map(([configuration, words]) => [configuration, new Set(words.trim().split(/\s+/u))]),
);

export const isPlainStopWord = (configuration: string, word: string): boolean => PLAIN_STOP_WORDS[configuration]?.has(word) === true;
