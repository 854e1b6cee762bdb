-- Logins that look alike have one skeleton: letters that look the same become one letter.
create or replace function login_skeleton(login text) returns text language sql immutable parallel safe as $$
  select translate(
    lower(normalize(regexp_replace(login, '\s+', ' ', 'g'), NFKC)),
    'авеёкмнопрстухіїјѕԁһԛԝӏαβεζηικμνορτυχ|01i',
    'abeekmhonpctyxlljsdhqwlabezhlkmvoptyxloll')
$$;
