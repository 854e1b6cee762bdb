/**
 * Leads for kitchens that wait for their first message. All of them are invented, with numbers from unassigned ranges.
 */
import type { DemoLead } from './lead.ts';

/** Name, contact (a user name is Telegram's), time zone, city, budget, what they asked about, where they came from. */
const INQUIRIES = `
Marigold Pumpernickel | +44 7700 900201 | Europe/London | Bristol | 6500 | an oak kitchen | website form
Bertram Thistlewick | @bertram_thistlewick | Europe/Berlin | Hamburg | 8200 | a kitchen with an island | instagram
Clementine Doorbell | +44 7700 900202 | Europe/London | Oxford | 5400 | a galley kitchen | website form
Hugo Blitzableiter | +49 30 23125 203 | Europe/Berlin | Berlin | 7100 | a kitchen for a loft | home fair
Pippa Windowsill | +44 7700 900204 | Europe/London | Cardiff | 4800 | a small kitchen | leaflet
Orson Breadbasket | +1 212 555-0141 | America/New_York | New York | 15000 | a kitchen for a brownstone | recommendation
Lotte Sonnenschirm | @lotte_sonnenschirm | Europe/Berlin | Munich | 9900 | lacquer fronts | instagram
Ambrose Featherduster | +44 7700 900205 | Europe/London | Durham | 6100 | a kitchen with a larder | website form
Saffron Kettlewell | +44 7700 900206 | Europe/London | Bath | 7400 | a stone worktop | recommendation
Moritz Pfefferminz | +49 30 23125 207 | Europe/Berlin | Leipzig | 5600 | a kitchen in ash | website form
Dahlia Moonpenny | @dahlia_moonpenny | Europe/London | Norwich | 4300 | a kitchen for a cottage | instagram
Gus Lightbulb | +1 212 555-0142 | America/New_York | Hoboken | 11000 | a kitchen with an island | website form
Frieda Wolkenbruch | +49 30 23125 208 | Europe/Berlin | Potsdam | 8800 | an oak kitchen | home fair
Jonty Hatstand | +44 7700 900209 | Europe/London | Leeds | 5000 | a kitchen for a flat | leaflet
Tabitha Quince | @tabitha_quince | Europe/London | Brighton | 6900 | sage green fronts | instagram
Anton Regentonne | +49 30 23125 210 | Europe/Berlin | Cologne | 7700 | a kitchen by a window | website form
Myrtle Snowglobe | +44 7700 900211 | Europe/London | York | 5900 | a kitchen with a bench | website form
Elwood Cinnamon | +1 212 555-0143 | America/New_York | Brooklyn | 13000 | a walnut-coloured kitchen | recommendation
Rosalind Picnic | @rosalind_picnic | Europe/London | London | 9200 | a kitchen for a houseboat | website form
Benno Zimtstern | +49 30 23125 212 | Europe/Berlin | Dresden | 6300 | a kitchen with a corner | home fair
Ada Clockwork | +44 7700 900213 | Europe/London | Reading | 8400 | a kitchen with tall cabinets | website form
Fergus Marmot | +44 7700 900214 | Europe/London | Edinburgh | 7300 | an oak worktop | recommendation
Gesa Luftballon | @gesa_luftballon | Europe/Berlin | Rostock | 4600 | a compact kitchen | instagram
Cornelius Bathtub | +44 7700 900215 | Europe/London | Exeter | 5200 | a new kitchen in place of the old one | leaflet
Ida Pfannkuchen | +49 30 23125 216 | Europe/Berlin | Weimar | 6700 | a kitchen for a family of six | website form
Monty Saucepan | +1 212 555-0144 | America/New_York | Yonkers | 9800 | a kitchen with open shelves | website form
Beatrix Umbrella | @beatrix_umbrella | Europe/London | Chester | 7800 | a lacquered kitchen | instagram
Linus Kieselstein | +49 30 23125 217 | Europe/Berlin | Kassel | 5800 | a kitchen for a new house | website form
Primrose Lantern | +44 7700 900218 | Europe/London | Lincoln | 6000 | a kitchen under a sloping roof | home fair
Otis Wheelbarrow | @otis_wheelbarrow | - | Utrecht | 7500 | a kitchen with an oak bar | instagram
Hedwig Tannenzapfen | +49 30 23125 219 | Europe/Berlin | Freiburg | 8600 | a kitchen in ash | recommendation
Cecily Buttercup | +44 7700 900220 | Europe/London | Bath | 10500 | a kitchen for an old vicarage | recommendation
Rowan Inkwell | @rowan_inkwell | Europe/London | Swansea | 4900 | a kitchen for a studio | website form
Kaspar Murmeltier | +49 30 23125 221 | Europe/Berlin | Erfurt | 6600 | a stone worktop | website form
Dorothea Sparrow | @dorothea_sparrow | Europe/Berlin | Vienna | 9100 | a kitchen with a dining corner | instagram
Wilbur Hammock | +1 212 555-0145 | America/New_York | Newark | 8900 | a kitchen with an induction hob | website form
Elodie Parasol | @elodie_parasol | Europe/Berlin | Strasbourg | 7000 | a white kitchen | instagram
Archie Dormouse | @archie_dormouse | Europe/London | London | 5700 | a kitchen for a first flat | website form
`;

const inquiries = INQUIRIES.trim().split('\n');

/** Created one after another over the last two days. */
export const KITCHENS_WAITING: readonly DemoLead[] = inquiries.map((line, index): DemoLead => {
  const [name = '', contact = '', zone = '-', city = '', budget = '', request = '', source = ''] = line.split(' | ');
  return {
    name,
    messenger: contact.startsWith('@') ? 'telegram' : 'whatsapp',
    contact,
    stage: 'initial',
    timezone: zone === '-' ? null : zone,
    age: 2 - (index * 1.9) / inquiries.length,
    fields: { city, budget: Number(budget), request, source },
  };
});
