-- The language of a text, as far as its letters tell: null without letters, `latin` for every language in Latin script.
create or replace function language_of(text text) returns text language sql immutable strict parallel safe
  return case
    when text ~ '[іїєґІЇЄҐ]' then 'uk'
    when text ~ '[әғқңөұүһіӘҒҚҢӨҰҮҺ]' then 'kk'
    when text ~ '[ўЎ]' then 'be'
    when text ~ '[а-яёА-ЯЁ]' then 'ru'
    when text ~ '[\u0590-\u05ff]' then 'he'
    when text ~ '[\u0600-\u06ff]' then 'ar'
    when text ~ '[\u0530-\u058f]' then 'hy'
    when text ~ '[\u10a0-\u10ff]' then 'ka'
    when text ~ '[\u0370-\u03ff]' then 'el'
    when text ~ '[\u3040-\u30ff]' then 'ja'
    when text ~ '[\uac00-\ud7af]' then 'ko'
    when text ~ '[\u4e00-\u9fff]' then 'zh'
    when text ~* '[a-zà-öø-ÿ]' then 'latin'
  end;
