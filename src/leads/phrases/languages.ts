/** The phrases of every language. A new language is a file and a line here. */
import type { LanguageData } from '../phraseGrammar.ts';
import ar from './ar.json' with { type: 'json' };
import az from './az.json' with { type: 'json' };
import be from './be.json' with { type: 'json' };
import cs from './cs.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import et from './et.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import he from './he.json' with { type: 'json' };
import hy from './hy.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ka from './ka.json' with { type: 'json' };
import kk from './kk.json' with { type: 'json' };
import lt from './lt.json' with { type: 'json' };
import lv from './lv.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ro from './ro.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import uk from './uk.json' with { type: 'json' };
import uz from './uz.json' with { type: 'json' };

export interface OptOutLanguage extends LanguageData {
  /** ISO 639-1. */
  readonly language: string;
  /** Words that say that a request is not meant for now only: 'again', 'never', 'remove'. */
  readonly lasting?: readonly string[];
  /** Words that ask to stop, for now or for good. */
  readonly ceasing?: readonly string[];
}

export const LANGUAGES: readonly OptOutLanguage[] = [
  ar,
  az,
  be,
  cs,
  de,
  en,
  es,
  et,
  fr,
  he,
  hy,
  it,
  ka,
  kk,
  lt,
  lv,
  nl,
  pl,
  pt,
  ro,
  ru,
  tr,
  uk,
  uz,
];
