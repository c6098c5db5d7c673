import json, sys, re

d = json.load(open(sys.argv[1]))
bad = []
types = {}
for l in open("/tmp/wt/keep/natural/types.txt"):
    m = re.match(r"(\S+) \(([^)]*)\)", l)
    if m:
        types[m[1]] = l
own = {f"{t['domain']}.{t['name']}": {f["name"] for f in t["fields"]} for t in d.get("types", [])}


def has(t, f):
    return f in own[t] if t in own else re.search(rf"[:,] {f}(\?|,|:|\s|$)", types[t].strip() + " ") is not None


put = {}
n = 0
texts = set()
for i, s in enumerate(d["sessions"]):
    for t in s["turns"]:
        for x in t.get("sentences", []):
            n += 1
            if x["quote"] not in t["text"]:
                bad.append((i, "quote not in text", x["quote"]))
            f = x["fact"]
            if f["text"] in texts:
                bad.append((i, "fact twice", f["text"]))
            texts.add(f["text"])
            if f.get("when") and f["when"] not in x["quote"]:
                bad.append((i, "when not in quote", f["when"]))
            e = x["deed"]
            if e["op"] == "aside":
                continue
            if e["type"] not in types and e["type"] not in own:
                bad.append((i, "type", e["type"]))
                continue
            for k in e.get("fields", {}):
                if not has(e["type"], k):
                    bad.append((i, "field", e["type"], k))
            if e["op"] == "put":
                if e["thing"] in put:
                    bad.append((i, "put twice", e["thing"]))
                put[e["thing"]] = e
            elif e["thing"] not in put:
                bad.append((i, e["op"] + " before put", e["thing"]))
for t in d["things"]:
    if t["thing"] not in put:
        bad.append(("things", t["thing"], "never put"))
print(len(d["sessions"]), "sessions", n, "facts", len(put), "things", len(bad), "problems")
print(*bad[:40], sep="\n")
