create schema s1;
create type s1.mood as enum ('a','b''c');
create domain s1.pos as int default 1 check (value > 0);
create domain email as text not null constraint em check (value ~ '@');
create table s1.t(id int generated always as identity (start with 5 increment by 2), b serial, m s1.mood default 'a', p s1.pos, e numeric(5,2) unique, g int generated always as (b * 2) stored, arr int[] default '{1,2}', ts timestamptz default now(), constraint ck check (b > 0 and m <> 'b''c'));
create table u(id bigserial primary key, tid int, x s1.mood, d email default 'a@b', unique (tid, x));
alter table only s1.t add constraint t_pkey primary key (id);
alter table only public.u add constraint u_fk foreign key (tid) references s1.t(id) on delete cascade deferrable initially deferred;
create index i1 on s1.t (p desc nulls last, (p + b)) ;
create index i3 on s1.t (p) where p > 3;
create unique index i2 on u (tid) include (d);
insert into s1.t (m, p, e, arr) values ('a', 3, 1.50, '{4,null,5}'), (null, 4, 2, '{}');
insert into s1.t (p) values (9);
insert into u (tid, x) values (5, 'a'), (7, 'b''c');
create view v as select t.id, u.d from s1.t join u on u.tid = t.id where m = 'a';
create view v2(one, two) as select id, d || 'x' from v;
create materialized view mv as select 1 as one, id from s1.t;
create unique index mvi on mv (id);
create sequence sq increment 3 start 10 cycle maxvalue 100;
select nextval('sq');
create sequence sq2;
create table "Odd name"("a b" int primary key, "select" text, j jsonb, by bytea, iv interval, bo boolean, f float8, d date, u uuid);
insert into "Odd name" values (1, E'tab\there\\back\nnl', '{"a": [1, null]}', '\x00ff', '1 mon 2 days', true, 'NaN', '2020-02-29', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), (2, null, null, null, null, null, '-0.1', 'infinity', null);
create table empty();
comment on schema s1 is 'of s1';
comment on table s1.t is 'it''s t';
comment on column "Odd name"."a b" is E'two\nlines';
comment on view v is 'of v';
comment on materialized view mv is 'of mv';
comment on column mv.id is 'of mv.id';
comment on index s1.i3 is 'of i3';
comment on sequence sq is 'of sq';
comment on type s1.mood is 'of mood';
comment on domain email is 'of email';
comment on constraint ck on s1.t is 'of ck';
comment on constraint u_fk on u is 'of u_fk';
create type s1.pair as (a int, "b c" s1.mood);
create table holds (p s1.pair, ps s1.pair[]);
create function s1.twice(x int default 2, out y int) language sql immutable strict as 'select x * 2';
create function of_u() returns setof u language sql as 'select * from u';
create function before_t() returns trigger language plpgsql as $body$
begin
  new.b := new.b + length('$function$');
  return new;
end
$body$;
create trigger tr before insert or update of b on s1.t for each row when (new.b > 0 and new.m <> 'b''c') execute function before_t('a\b', 'it''s');
create trigger tr_off before delete on s1.t for each statement execute function before_t();
alter table s1.t disable trigger tr_off;
create view checked as select id, tid from u where tid > 1 with local check option;
create view checked_below as select id from checked with cascaded check option;
create view commented as select 1 as "select" -- the last of it
;
create table "y
\! touch dumped
" ("y
\! touch dumped
" text, "order" int unique, "a""b" int primary key);
create index on "y
\! touch dumped
" (lower("y
\! touch dumped
"), ("order" + "a""b"));
create sequence "s""q" owned by "y
\! touch dumped
"."a""b";
select setval('"s""q"', 3);
comment on function s1.twice(int) is 'of twice';
comment on trigger tr on s1.t is 'of tr';
comment on type s1.pair is 'of pair';
