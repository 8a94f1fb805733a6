"""Terms that stand for one another in an edit: a drug for a drug, an organ for an organ."""

from __future__ import annotations

from typing import Final

__all__ = ["TERMS"]

TERMS: Final[dict[str, tuple[str, ...]]] = {
    "drug": (
        "aspirin", "ibuprofen", "paracetamol", "morphine", "metformin", "insulin", "atorvastatin",
        "simvastatin", "warfarin", "heparin", "rivaroxaban", "apixaban", "clopidogrel", "digoxin",
        "amlodipine", "lisinopril", "losartan", "metoprolol", "propranolol", "furosemide",
        "spironolactone", "prednisone", "dexamethasone", "hydrocortisone", "methotrexate",
        "azathioprine", "cyclosporine", "tacrolimus", "rituximab", "infliximab", "adalimumab",
        "trastuzumab", "bevacizumab", "nivolumab", "pembrolizumab", "cisplatin", "carboplatin",
        "paclitaxel", "docetaxel", "doxorubicin", "tamoxifen", "imatinib", "sorafenib",
        "gemcitabine", "temozolomide", "amoxicillin", "azithromycin", "ciprofloxacin",
        "vancomycin", "rifampicin", "isoniazid", "fluconazole", "amphotericin B", "aciclovir",
        "oseltamivir", "remdesivir", "hydroxychloroquine", "ivermectin", "artesunate", "sertraline",
        "fluoxetine", "escitalopram", "lithium", "clozapine", "olanzapine", "risperidone",
        "haloperidol", "diazepam", "ketamine", "propofol", "sevoflurane", "lidocaine",
        "bupivacaine", "dexmedetomidine", "gabapentin", "pregabalin", "levetiracetam", "valproate",
        "carbamazepine", "levodopa", "donepezil", "memantine", "sildenafil", "testosterone",
        "letrozole", "oxytocin", "misoprostol", "omeprazole", "melatonin", "tocilizumab",
        "semaglutide", "liraglutide", "curcumin", "resveratrol", "vitamin D", "vitamin C",
        "vitamin E", "zinc", "selenium", "magnesium",
    ),
    "disease": (
        "asthma", "pneumonia", "tuberculosis", "influenza", "COVID-19", "malaria", "HIV infection",
        "hepatitis B", "hepatitis C", "sepsis", "type 1 diabetes", "type 2 diabetes", "diabetes",
        "obesity", "hypertension", "heart failure", "atrial fibrillation", "myocardial infarction",
        "coronary artery disease", "stroke", "ischemic stroke", "epilepsy", "migraine", "dementia",
        "Alzheimer's disease", "Parkinson's disease", "multiple sclerosis", "schizophrenia",
        "depression", "anxiety", "bipolar disorder", "autism", "insomnia", "anemia", "leukemia",
        "lymphoma", "multiple myeloma", "melanoma", "glioblastoma", "breast cancer", "lung cancer",
        "prostate cancer", "colorectal cancer", "gastric cancer", "pancreatic cancer",
        "ovarian cancer", "cervical cancer", "bladder cancer", "thyroid cancer", "osteosarcoma",
        "hepatocellular carcinoma", "renal cell carcinoma", "cirrhosis", "pancreatitis",
        "appendicitis", "Crohn's disease", "ulcerative colitis", "celiac disease",
        "rheumatoid arthritis", "osteoarthritis", "osteoporosis", "gout", "psoriasis",
        "atopic dermatitis", "glaucoma", "cataract", "preeclampsia", "endometriosis",
        "chronic kidney disease", "chronic obstructive pulmonary disease", "cystic fibrosis",
        "pulmonary embolism", "periodontitis", "dental caries",
    ),
    "organ": (
        "heart", "lung", "liver", "kidney", "brain", "stomach", "pancreas", "spleen", "colon",
        "prostate", "bladder", "thyroid", "retina", "cornea", "skin", "hip", "knee", "shoulder",
        "spine", "hippocampus", "cerebellum", "bone marrow", "placenta", "uterus",
    ),
    "adjective of an organ": (
        "cardiac", "pulmonary", "hepatic", "renal", "cerebral", "gastric", "pancreatic", "splenic",
        "retinal", "cutaneous", "muscular", "intestinal", "ovarian", "spinal",
    ),
    "people": ("children", "adolescents", "adults", "older adults", "newborns", "pregnant women"),
    "sex": ("women", "men"),
    "sex, as an adjective": ("female", "male"),
    "animal": ("mice", "rats", "rabbits", "pigs", "dogs", "zebrafish"),
    "procedure": (
        "surgery", "radiotherapy", "chemotherapy", "immunotherapy", "physiotherapy",
        "psychotherapy", "acupuncture", "hemodialysis", "transplantation", "vaccination",
    ),
    "imaging": (
        "MRI", "CT", "PET", "ultrasound", "echocardiography", "radiography", "scintigraphy",
    ),
}  # fmt: skip
"""By class, in our own choice; within a class any term may stand where another stood."""
